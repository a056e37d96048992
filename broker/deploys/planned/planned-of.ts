import { gunzipSync } from "node:zlib";
import { planViewOf, viewToolOf } from "../../../shared/plan-view/plan-view-of.ts";
import { taintedTexts } from "../../../shared/plan-view/tainted-texts.ts";
import { conflictsIn } from "../../../shared/plan-view/view-of-objects.ts";
import { zlibStep } from "../../../shared/zlib-step.ts";
import { applyPlanOf, type PlannedTexts, plannedDigest } from "./apply-plan-of.ts";
import type { Planned } from "./planned.ts";
import { parsedJson, type ResultTexts } from "./result-texts.ts";

/** What a planning job had and brought, and how much of it may be unpacked. */
export type PlannedGiven = PlannedTexts & {
  /** The plan as people may see it. */
  readonly twin: string | undefined;
  /** 0: nothing is unpacked, and people see the text that the tool printed. */
  readonly mostUnpackedBytes: number;
};

/** What decisions need of it; undefined when there is more to unpack than may be. */
export function plannedOf(given: PlannedGiven): Planned | undefined {
  const { type, plan, twin, result } = given;
  const shown = shownOf(given);
  if (shown === tooMuch) return undefined;
  const summary = parsedJson(result.contents ?? "");
  const text = result.contents_display ?? "";
  const secrets = taintedTexts(parsedJson(plan), parsedJson(twin ?? ""));
  const view = planViewOf({ type, shown, summary, text, secrets });
  const isJob = viewToolOf(type) === "job";
  return {
    isNoOp: view.is_noop && !isJob,
    hasDrift: hasDrift(view.drift, summary),
    counts: view.summary,
    digest: plannedDigest(given),
    obstacle: obstacleOf(given, shown),
    view: JSON.stringify(view),
  };
}

function hasDrift(
  drift: Readonly<Record<"added" | "changed" | "removed", number>> | undefined,
  summary: unknown,
): boolean {
  if (drift !== undefined && drift.added + drift.changed + drift.removed > 0) return true;
  return (
    typeof summary === "object" &&
    summary !== null &&
    "has_drift" in summary &&
    summary.has_drift === true
  );
}

function obstacleOf(given: PlannedGiven, shown: unknown): string | undefined {
  const conflicts = conflictsIn(shown);
  if (conflicts > 0) {
    return `Others manage fields that it sets, of ${conflicts} objects: set force_conflicts to take them over, or leave them out.`;
  }
  const apply = applyPlanOf(given);
  return "obstacle" in apply ? apply.obstacle : undefined;
}

const tooMuch = Symbol("more than may be unpacked");

/**
 * The first of a result's texts that is JSON of an object: what is to be shown, packed or not, and what a runner packs of a diff.
 * With nothing to be unpacked, none.
 */
function shownOf({ type, result, mostUnpackedBytes }: PlannedGiven): unknown {
  if (mostUnpackedBytes === 0) return undefined;
  for (const read of textsToShow(type, result)) {
    const text = read(mostUnpackedBytes);
    if (text === tooMuch) return tooMuch;
    const value = typeof text === "string" ? parsedJson(text) : undefined;
    if (typeof value === "object" && value !== null) return value;
  }
  return undefined;
}

type Reading = (mostBytes: number) => string | typeof tooMuch;

function textsToShow(type: PlannedGiven["type"], result: ResultTexts): Reading[] {
  const { contents, contents_display, contents_gzip, contents_display_gzip } = result;
  const isDiff = ["helm", "manifests", "job"].includes(viewToolOf(type));
  const plain = [contents_display, isDiff ? contents : undefined];
  return [
    contents_display_gzip && unpacked(contents_display_gzip),
    isDiff && contents_gzip && unpacked(contents_gzip),
    ...plain.map((text) => text?.trimStart().startsWith("{") === true && (() => text)),
  ].filter((one) => typeof one === "function");
}

/** Gzip by its first two bytes, else text. The sizes that it names itself are not believed. */
function unpacked(base64: string): Reading {
  return (mostBytes) => {
    const bytes = Buffer.from(base64, "base64");
    if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes.toString("utf8");
    try {
      const chunkSize = zlibStep(Math.min(mostBytes, bytes.length * 8));
      return gunzipSync(bytes, { maxOutputLength: mostBytes, chunkSize }).toString("utf8");
    } catch (error) {
      const isTooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
      return isTooLarge ? tooMuch : "";
    }
  };
}

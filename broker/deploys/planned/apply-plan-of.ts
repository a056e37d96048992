import { hash } from "node:crypto";
import { z } from "zod";
import { viewToolOf } from "../../../shared/plan-view/plan-view-of.ts";
import { withoutLogins } from "../../../shared/plans/without-logins.ts";
import type { RunnerJobType } from "../../../shared/runner-job-types.ts";
import { parsedJson, type ResultTexts } from "./result-texts.ts";

/** What the plan of the job that applies is made of: the planning job's type, plan and result. */
export type PlannedTexts = {
  readonly type: RunnerJobType;
  readonly plan: string;
  readonly result: ResultTexts;
};

/** The text of the plan, or why there can be none. */
export type ApplyPlan = { readonly text: string } | { readonly obstacle: string };

/** What a plan may have, all in all; the rest of 16 MiB is for its login. */
const mostPlanBytes = 16 * 2 ** 20 - 64 * 1024;

const noContents =
  "The planning job brought no plan that could be applied: its result has no contents.";
const tooLarge =
  "too_large: what was planned and its plan are too large for one job together; 16 MiB are the most.";

/** The planning job's plan without its login, byte for byte, with what was approved; what people were shown of it only where it fits. */
export function applyPlanOf(texts: PlannedTexts): ApplyPlan {
  const contents = applicableOf(texts.result);
  if (contents === undefined) return { obstacle: noContents };
  if (contents.length > mostPlanBytes) return { obstacle: tooLarge };
  const bare = withoutLogins(texts.plan).trimEnd();
  const approved = approvedOf(texts, contents);
  const members = { apply_plan_contents: contents, ...(approved !== undefined && { approved }) };
  const least = joined(bare, members);
  const bytes = Buffer.byteLength(least);
  if (bytes > mostPlanBytes) return { obstacle: tooLarge };
  const { contents_display_gzip: display } = texts.result;
  const hasRoom = display !== undefined && bytes + display.length + 32 <= mostPlanBytes;
  return { text: hasRoom ? joined(bare, { ...members, apply_plan_display: display }) : least };
}

/** What an apply gets back of a result; runners of others may not pack it. */
export function applicableOf(result: ResultTexts): string | undefined {
  return result.contents_gzip || result.contents || undefined;
}

/** The text stays as it is: to read and write it would change the digits of great numbers. */
function joined(plan: string, members: object): string {
  const isEmpty = /^\s*\{\s*\}$/.test(plan);
  return `${plan.slice(0, -1)}${isEmpty ? "" : ","}${JSON.stringify(members).slice(1)}`;
}

const told = z
  .looseObject({
    lock_sha256: z.string().nullish().catch(undefined),
    source_revision: z.string().nullish().catch(undefined),
  })
  .catch({});

/** The digests by which an apply of terraform or pulumi knows the plan; the others have theirs in the contents. */
function approvedOf({ type, result }: PlannedTexts, contents: string): object | undefined {
  const tool = viewToolOf(type);
  if (result.contents_gzip === undefined) return undefined; // in the words of another runner
  if (tool !== "terraform" && tool !== "pulumi") return undefined;
  const { lock_sha256, source_revision } = told.parse(parsedJson(result.contents ?? ""));
  return {
    plan_sha256: hash("sha256", Buffer.from(contents, "base64")),
    ...(tool === "terraform" && lock_sha256 != null && { lock_sha256 }),
    ...(source_revision != null && { source_revision }),
  };
}

/** Of all that is approved: another plan, result or revision has another digest. */
export function plannedDigest({ plan, result }: Omit<PlannedTexts, "type">): string {
  const { lock_sha256, source_revision } = told.parse(parsedJson(result.contents ?? ""));
  const parts = [withoutLogins(plan), applicableOf(result) ?? ""].map((text) =>
    hash("sha256", text),
  );
  return hash("sha256", JSON.stringify([...parts, lock_sha256 ?? "", source_revision ?? ""]));
}

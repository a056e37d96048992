import { gunzipSync } from "node:zlib";
import { viewToolOf } from "../../../shared/plan-view/plan-view-of.ts";
import type { RunnerJobType } from "../../../shared/runner-job-types.ts";
import { zlibStep } from "../../../shared/zlib-step.ts";
import { parsedJson, type ResultTexts } from "./result-texts.ts";

/** What a planning job brought, and how much of it may be unpacked. */
type ShownGiven = {
  readonly type: RunnerJobType;
  readonly result: ResultTexts;
  readonly mostUnpackedBytes: number;
};

/** Stands for what would unpack to more than may be. */
export const tooMuch: unique symbol = Symbol("more than may be unpacked");

/**
 * The first of a result's texts that is JSON of an object: what is to be shown, packed or not, and what a runner packs of a diff.
 * With nothing to be unpacked, none.
 */
export function shownOf({ type, result, mostUnpackedBytes }: ShownGiven): unknown {
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

function textsToShow(type: RunnerJobType, result: ResultTexts): Reading[] {
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

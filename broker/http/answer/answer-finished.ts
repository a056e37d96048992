import type { AppContext } from "../app-types.ts";

/** Answers JSON that was made ready elsewhere: texts of few characters, and bytes as they are. */
export function answerFinished(
  c: AppContext,
  parts: readonly (string | Uint8Array)[],
  status: 200 | 201 = 200,
): never {
  const json = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return c.body(json, status, { "content-type": "application/json" }) as never; // bytes, whatever the contract shows
}

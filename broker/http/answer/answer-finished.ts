import type { AppContext } from "../app-types.ts";

/** Answers JSON that was made ready elsewhere: texts of few characters, and bytes as they are. */
export function answerFinished(
  c: AppContext,
  parts: readonly (string | Uint8Array)[],
  status: 200 | 201 = 200,
): never {
  const bytes = parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part));
  const [only, ...others] = bytes;
  const json = only === undefined || others.length > 0 ? Buffer.concat(bytes) : only;
  return c.body(json as Uint8Array<ArrayBuffer>, status, {
    "content-type": "application/json",
  }) as never; // bytes, whatever the contract shows
}

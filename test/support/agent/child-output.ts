import type { ChildOutput } from "../../../agent/processes/child.ts";

/** What a child that has ended had printed: these pieces, from where they have not been released. */
export function outputOf(
  pieces: readonly Buffer[],
): ChildOutput & { readonly releasedUpTo: () => number } {
  let released = 0;
  return {
    async *[Symbol.asyncIterator]() {
      let offset = 0;
      for (const bytes of pieces) {
        if (bytes.length > 0) yield { bytes, offset, atMs: 1_700_000_000_000 + offset };
        offset += bytes.length;
        await Promise.resolve();
      }
    },
    release: (offset) => (released = Math.max(released, offset)),
    releasedUpTo: () => released,
  };
}

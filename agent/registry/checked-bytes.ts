import { createHash, type Hash } from "node:crypto";
import type { Descriptor } from "./descriptor.ts";
import { algorithmOf } from "./digest-of.ts";
import { differs, RegistryFault } from "./registry-fault.ts";

/** The bytes of a blob. */
export type ReadBytes = (from: number) => AsyncIterable<Uint8Array>;

const stepBytes = 16 * 2 ** 20;

/**
 * Reads a blob of which not all is ever held, and holds back its last piece until the digest is right: whoever gets
 * that one has the blob. It may be read again from anywhere; then what was read before counts, and what is read again is
 * looked at again. Throws RegistryFault.
 */
export function checkedBytes(
  { digest, size }: Pick<Descriptor, "digest" | "size">,
  open: ReadBytes,
): ReadBytes {
  const known: { readonly at: number; readonly hash: Hash }[] = [
    { at: 0, hash: createHash(algorithmOf(digest)) },
  ];
  return async function* read(from) {
    const before = known.findLast(({ at }) => at <= from) ?? known[0];
    if (before === undefined) return; // there is always the first
    let { at } = before;
    const hash = before.hash.copy();
    let held: Uint8Array | undefined;
    for await (const piece of size === 0 ? [] : open(at)) {
      if (at + piece.length > size)
        throw new RegistryFault(
          "digest",
          `a blob is larger than the ${size} bytes in its manifest`,
        );
      if (held !== undefined) yield held;
      hash.update(piece);
      const fresh = at >= from ? piece : piece.subarray(Math.min(piece.length, from - at));
      held = fresh.length === 0 ? undefined : fresh;
      at += piece.length;
      if (at - (known.at(-1)?.at ?? 0) >= stepBytes) known.push({ at, hash: hash.copy() });
    }
    if (at < size)
      throw new RegistryFault(
        "digest",
        `a blob ends after ${at} of the ${size} bytes in its manifest`,
      );
    const own = `${algorithmOf(digest)}:${hash.digest("hex")}`;
    if (own !== digest) throw differs("a blob", digest, own);
    if (held !== undefined) yield held;
  };
}

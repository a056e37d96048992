import { createHash, type Hash } from "node:crypto";
import type { ArchiveEntries } from "./archive-entry.ts";

/**
 * The same entries, and a digest of all that was read of them by then: names, kinds, who may run them, where links lead,
 * contents. It is that of the same files wherever and whenever they lie.
 */
export function digestEntries(entries: ArchiveEntries): {
  readonly entries: ArchiveEntries;
  readonly digest: () => string;
} {
  const hash = createHash("sha256");
  return {
    entries: digested(entries, hash),
    digest: () => `sha256:${hash.copy().digest("hex")}`,
  };
}

async function* digested(entries: ArchiveEntries, hash: Hash): ArchiveEntries {
  for await (const entry of entries) {
    const { name, kind, mode, target, body } = entry;
    hash.update(`${JSON.stringify([name, kind, (mode & 0o111) !== 0, target])}\n`);
    yield { ...entry, body: passed(body, hash) };
  }
}

/** In its own digest first, so that no file's end can be taken for the next one's head. */
async function* passed(body: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  const own = createHash("sha256");
  for await (const piece of body) {
    own.update(piece);
    yield piece;
  }
  hash.update(own.digest());
}

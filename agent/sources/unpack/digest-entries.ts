import { createHash, type Hash } from "node:crypto";
import type { ArchiveEntries } from "../../../shared/tar/archive-entry.ts";

/**
 * Passes the entries on and computes a digest of what was read: names, kinds, executable bits, targets of links,
 * contents. It does not depend on where and when the files were made.
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

/** Each file has a digest of its own, so that the end of one cannot be confused with the head of the next. */
async function* passed(body: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  const own = createHash("sha256");
  for await (const piece of body) {
    own.update(piece);
    yield piece;
  }
  hash.update(own.digest());
}

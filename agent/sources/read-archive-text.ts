import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { ArchiveEntries } from "../../shared/tar/archive-entry.ts";
import { SourceFault } from "./source-failure.ts";
import { readArchive } from "./unpack/read-archive.ts";

/** Reads the entries of a base64 archive in a plan, and its digest; `place` is a folder for its bytes. */
export async function readArchiveText(
  text: string,
  place: string,
): Promise<{ readonly entries: ArchiveEntries; readonly revision: string }> {
  const bytes = Buffer.from(text.replaceAll(/\s/g, ""), "base64"); // standard or URL-safe base64
  const archive = path.join(place, "archive");
  await writeFile(archive, bytes, { mode: 0o600 });
  const entries = await readArchive(archive);
  if (entries === undefined) throw noArchive("it");
  return { entries, revision: `sha256:${createHash("sha256").update(bytes).digest("hex")}` };
}

/** The error for bytes that are not an archive. */
export function noArchive(what: string): SourceFault {
  return new SourceFault(
    "unsafe",
    `${what} is not a supported archive: use tar (plain, gzip or zstd) or zip`,
  );
}

import { createReadStream } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import path from "node:path";
import {
  type ArchiveEntries,
  type ArchiveEntry,
  emptyBody,
} from "../../../shared/tar/archive-entry.ts";

/** Reads a folder of the host like an archive; links stay links. */
export async function* readFolder(root: string, within = ""): ArchiveEntries {
  const names = await readdir(path.join(root, within));
  for (const name of names.toSorted()) {
    const entry = await entryOf(root, path.join(within, name));
    yield entry;
    if (entry.kind === "folder") yield* readFolder(root, entry.name);
  }
}

async function entryOf(root: string, name: string): Promise<ArchiveEntry> {
  const place = path.join(root, name);
  const stat = await lstat(place);
  const base = { name, mode: stat.mode & 0o777, target: "", body: emptyBody() };
  if (stat.isDirectory()) return { ...base, kind: "folder" };
  if (stat.isSymbolicLink()) return { ...base, kind: "link", target: await readlink(place) };
  if (stat.isFile()) return { ...base, kind: "file", body: createReadStream(place) };
  return { ...base, kind: "other", what: "a device, a pipe or a socket" };
}

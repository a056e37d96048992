import { link, mkdir, open, rm, symlink } from "node:fs/promises";
import path from "node:path";
import type { ArchiveEntries, ArchiveEntry } from "../../../shared/tar/archive-entry.ts";
import { staysWithin } from "../../../shared/tar/archive-links.ts";
import { SourceFault } from "../source-failure.ts";

/** Limits for unpacking. */
export type UnpackBounds = { readonly mostBytes: number; readonly mostEntries: number };

/** The state of a folder into which one or several archives are unpacked; later ones overwrite. */
export type Unpacked = {
  readonly add: (entries: ArchiveEntries) => Promise<void>;
  /** Creates the links; they do not exist while files are written. */
  readonly finish: () => Promise<{ readonly files: number; readonly bytes: number }>;
};

const mostNameBytes = 4096;
const mostDepth = 100;
const setIdBits = 0o6000;

/** The entries in the folder so far, and the counters. */
type Unpacking = {
  readonly folder: string;
  readonly bounds: UnpackBounds;
  readonly made: Map<string, "file" | "folder" | "link">;
  readonly links: Map<string, string>;
  entries: number;
  bytes: number;
};

/**
 * Unpacks archives into an empty folder. Throws SourceFault for an entry that would leave the folder, is a device, has
 * a setuid or setgid bit, or exceeds a limit.
 */
export function unpackInto(folder: string, bounds: UnpackBounds): Unpacked {
  const counted = { entries: 0, bytes: 0 };
  const unpacking: Unpacking = { folder, bounds, made: new Map(), links: new Map(), ...counted };
  return {
    add: async (entries) => {
      for await (const entry of entries) await unpackEntry(unpacking, entry);
    },
    finish: async () => {
      await makeLinks(unpacking);
      const files = [...unpacking.made.values()].filter((kind) => kind !== "folder").length;
      return { files, bytes: unpacking.bytes };
    },
  };
}

async function unpackEntry(unpacking: Unpacking, entry: ArchiveEntry): Promise<void> {
  const { bounds } = unpacking;
  unpacking.entries += 1;
  if (unpacking.entries > bounds.mostEntries) {
    throw tooLarge(entry.name, `${bounds.mostEntries} entries`);
  }
  const name = safeName(entry.name, "is");
  if (name === "") return; // the folder itself
  assertKind(name, entry);
  const parts = name.split("/").slice(0, -1);
  for (const at of parts.keys())
    await makeFolder(unpacking, parts.slice(0, at + 1).join("/"), name);
  if (entry.kind === "folder") await makeFolder(unpacking, name, name);
  else await place(unpacking, name, entry);
}

async function makeFolder(unpacking: Unpacking, name: string, whose: string): Promise<void> {
  const { made, folder } = unpacking;
  const known = made.get(name);
  if (known === "folder") return;
  if (known !== undefined) throw unsafe(whose, `is inside ${shown(name)}, which is a ${known}`);
  await mkdir(path.join(folder, name), { mode: 0o755 });
  made.set(name, "folder");
}

/** Removes an earlier entry with this name. */
async function place(unpacking: Unpacking, name: string, entry: ArchiveEntry): Promise<void> {
  const { made, links, folder } = unpacking;
  const known = made.get(name);
  if (known === "folder") throw unsafe(name, "is already a folder");
  links.delete(name);
  if (known === "file") await rm(path.join(folder, name));
  made.delete(name);
  if (entry.kind === "link") links.set(name, entry.target);
  else if (entry.kind === "hard link") await makeHardLink(unpacking, name, entry.target);
  else await writeFile(unpacking, name, entry);
  made.set(name, entry.kind === "link" ? "link" : "file");
}

async function makeHardLink({ made, folder }: Unpacking, name: string, to: string): Promise<void> {
  const target = safeName(to, "leads to");
  if (made.get(target) !== "file") {
    throw unsafe(name, `is a hard link to ${shown(target)}, which is not a file of this archive`);
  }
  await link(path.join(folder, target), path.join(folder, name));
}

async function writeFile(unpacking: Unpacking, name: string, entry: ArchiveEntry): Promise<void> {
  const mode = (entry.mode & 0o111) === 0 ? 0o644 : 0o755;
  // A stream for each of thousands of small files would take twice as long.
  const file = await open(path.join(unpacking.folder, name), "wx", mode);
  try {
    for await (const piece of counted(unpacking, name, entry.body)) await file.writeFile(piece);
  } finally {
    await file.close();
  }
}

async function* counted(unpacking: Unpacking, name: string, body: AsyncIterable<Uint8Array>) {
  for await (const piece of body) {
    unpacking.bytes += piece.length;
    if (unpacking.bytes > unpacking.bounds.mostBytes) {
      throw tooLarge(name, `${unpacking.bounds.mostBytes} bytes`);
    }
    yield piece;
  }
}

/** Last, so that no name is redirected by a link while files are written. */
async function makeLinks({ links, folder }: Unpacking): Promise<void> {
  for (const [name, target] of links) {
    if (staysWithin(links, name)) continue;
    throw unsafe(name, `is a link to ${shown(target)}, outside of the archive`);
  }
  for (const [name, target] of links) await symlink(target, path.join(folder, name));
}

/** Normalizes a name within the archive; empty for the archive's root. */
function safeName(given: string, verb: string): string {
  const isShort = Buffer.byteLength(given) <= mostNameBytes;
  const parts = given.split("/").filter((part) => part !== "" && part !== ".");
  const words = given.startsWith("/")
    ? "an absolute name"
    : parts.includes("..")
      ? 'a path outside of the archive ("..")'
      : !isShort || parts.length > mostDepth
        ? "a name that is too long or too deep"
        : given === "" || given.includes("\0") || given.includes("\uFFFD")
          ? "an invalid name"
          : undefined;
  if (words !== undefined) throw unsafe(given, `${verb} ${words}`);
  return parts.join("/");
}

function assertKind(name: string, { kind, what, mode }: ArchiveEntry): void {
  if (kind === "other")
    throw unsafe(name, `is ${what ?? "not a regular file"}, which is not allowed in a source`);
  if (kind !== "folder" && (mode & setIdBits) !== 0) {
    throw unsafe(name, "has the setuid or setgid bit, which is not allowed");
  }
}

function unsafe(name: string, words: string): SourceFault {
  return new SourceFault("unsafe", `the entry ${shown(name)} ${words}`);
}

function tooLarge(name: string, bound: string): SourceFault {
  return new SourceFault("too_large", `it exceeds ${bound} at the entry ${shown(name)}`);
}

const shown = (name: string): string =>
  JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name);

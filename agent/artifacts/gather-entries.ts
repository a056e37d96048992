import { lstatSync, readdirSync, readlinkSync, type Stats, statSync } from "node:fs";
import path from "node:path";
import { staysWithin } from "../../shared/tar/archive-links.ts";
import { lfsMark } from "../sources/lfs-mark.ts";
import { PackFault } from "./pack-fault.ts";
import type { PackPart, PackRequest } from "./pack-request.ts";
import { utf8Name } from "./utf8-name.ts";

/** One file or link of an artifact. */
export type PackedEntry = {
  readonly name: string;
  readonly kind: "file" | "link";
  /** Where its contents are, unless they are given. */
  readonly place: string;
  readonly text?: Buffer;
  readonly size: number;
  readonly isExecutable: boolean;
  readonly target: string;
  readonly isSource: boolean;
};

export type PackBounds = { readonly mostBytes: number; readonly mostEntries: number };
type Given = Pick<PackRequest, "parts" | "texts" | "files">;
type Found = { readonly entries: Map<string, PackedEntry>; bytes: number };

/** What no artifact has: it is made anew by whoever needs it, and has other bytes each time. */
const neverPacked: ReadonlySet<string> = new Set([".git", ".terraform"]);

/**
 * Lists what goes into an artifact, by name. Throws PackFault for a link that leaves its part, for what is neither a
 * file nor a link, and beyond the limits.
 */
export function gatherEntries({ parts, texts, files }: Given, bounds: PackBounds): PackedEntry[] {
  const found: Found = { entries: new Map(), bytes: 0 };
  for (const part of parts) {
    const links = new Map<string, string>();
    for (const entry of walk(part, "")) {
      const name = part.to === "" ? entry.name : `${part.to}/${entry.name}`;
      if (entry.kind === "link") links.set(entry.name, entry.target);
      keep(found, { ...entry, name }, bounds);
    }
    for (const [name, target] of links) {
      if (staysWithin(links, name)) continue;
      throw new PackFault("unsafe", `${shown(name)} is a link to ${shown(target)}, outside of it`);
    }
  }
  for (const { name, text } of texts) {
    const bytes = Buffer.from(text);
    keep(found, { ...plain, name, text: bytes, size: bytes.length, place: "" }, bounds);
  }
  for (const { from, to, isSource } of files) {
    const entry = entryOf({ from, followsLinks: true }, "", to);
    keep(found, { ...entry, isSource }, bounds);
  }
  return [...found.entries.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const plain = { kind: "file", isExecutable: false, target: "", isSource: true } as const;

function keep(found: Found, entry: PackedEntry, { mostBytes, mostEntries }: PackBounds): void {
  if (found.entries.has(entry.name)) return;
  found.entries.set(entry.name, entry);
  found.bytes += entry.size;
  if (found.entries.size > mostEntries) throw tooLarge(entry.name, `${mostEntries} entries`);
  if (found.bytes > mostBytes) throw tooLarge(entry.name, `${mostBytes} bytes (source-size)`);
}

/** Folders are not entries: one without files is in no artifact, as git has none. */
function* walk(part: PackPart, within: string): Generator<PackedEntry> {
  const names = readdirSync(path.join(part.from, within), { encoding: "buffer" });
  for (const each of names.map((name) => utf8Name(name, within)).toSorted()) {
    const name = within === "" ? each : `${within}/${each}`;
    if (part.leaveOut.includes(name) || (!part.followsLinks && neverPacked.has(each))) continue;
    if (each === ".git") continue;
    const stat = statOf(part, path.join(part.from, name));
    if (stat.isDirectory()) yield* walk(part, name);
    else yield { ...entryOf(part, name, name, stat), isSource: part.isSource };
  }
}

type From = Pick<PackPart, "from" | "followsLinks">;

const statOf = ({ followsLinks }: From, place: string): Stats =>
  followsLinks ? statSync(place) : lstatSync(place);

function entryOf(part: From, within: string, name: string, known?: Stats): PackedEntry {
  const place = path.join(part.from, within);
  const stat = known ?? statOf(part, place);
  const base = { ...plain, name, place, size: 0 };
  if (stat.isSymbolicLink()) {
    const target = readlinkSync(place);
    if (target === lfsMark) throw notFetched(place);
    return { ...base, kind: "link", target };
  }
  if (!stat.isFile()) {
    throw new PackFault("unsafe", `${shown(name)} is a device, a pipe or a socket`);
  }
  return { ...base, size: stat.size, isExecutable: (stat.mode & 0o111) !== 0 };
}

function notFetched(place: string): PackFault {
  const words = "is in Git LFS, outside of the directory that is built, and was not fetched";
  return new PackFault("outside", `${shown(path.basename(place))} ${words}: move it there`);
}

function tooLarge(name: string, bound: string): PackFault {
  return new PackFault("too_large", `it exceeds ${bound} at ${shown(name)}`);
}

const shown = (name: string): string =>
  JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name);

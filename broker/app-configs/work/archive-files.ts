import { createGunzip } from "node:zlib";
import { configLimits } from "../../../shared/app-config/config-fault.ts";
import { Problem } from "../../../shared/problem.ts";
import type { ArchiveEntry } from "../../../shared/tar/archive-entry.ts";
import { readTar } from "../../../shared/tar/read-tar.ts";
import { placeOf } from "./archive-place.ts";

/** What an archive has, by paths from its root. */
export type ArchiveFiles = {
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly executables: ReadonlySet<string>;
  /** Where each link leads to. Only folders that are built may have them: `refuseLinks` refuses others. */
  readonly links: ReadonlyMap<string, string>;
  /** 422 for links outside of these folders, the root of all of which is this one. */
  readonly refuseLinks: (isAllowed: (name: string) => boolean) => void;
};

type Fault = { readonly file: string; readonly code: ArchiveFaultCode; readonly detail: string };
type ArchiveFaultCode =
  | "bad_archive"
  | "outside_root"
  | "bad_name"
  | "not_a_file"
  | "duplicate_file"
  | "too_large"
  | "too_many_files";

const { unpackedBytes, files: mostFiles, faults: mostFaults } = configLimits;
/** Of files, folders and all that is refused. */
const mostEntries = 2 * mostFiles;
/** What an archive may inflate to: its files with the heads of entries, each of which may say its attributes besides. */
export const mostInflatedBytes = unpackedBytes + mostEntries * 2048;

/** The files of a tar.gz; 422 with everything that is wrong in it, each with its file. Nothing is inflated past the bound. */
export async function filesOfArchive(bytes: Uint8Array): Promise<ArchiveFiles> {
  if (bytes.length < leastGzipBytes || bytes[0] !== 0x1f || bytes[1] !== 0x8b)
    throw refusalOf([damaged("it is not gzip")]);
  const files = await filesOf(bytes, mostInflatedBytes);
  if (files === undefined) throw refusalOf([tooLarge]);
  return files;
}

/** Its head and its end. */
const leastGzipBytes = 18;

const tooLarge: Fault = {
  file: "",
  code: "too_large",
  detail: `The archive has more than ${unpackedBytes / 2 ** 20} MiB when it is unpacked.`,
};

class TooMuch extends Error {}
class Damaged extends Error {}
const damage = (words: string): Error => new Damaged(words);

type Reading = {
  readonly files: Map<string, Uint8Array>;
  readonly folders: Set<string>;
  readonly executables: Set<string>;
  readonly links: Map<string, string>;
  readonly faults: Fault[];
  /** Those of links, by whose name; they count unless these are in folders that are built. */
  readonly linkFaults: Map<Fault, string>;
  entries: number;
  bytes: number;
};

/** Undefined when it has more bytes. */
async function filesOf(bytes: Uint8Array, most: number): Promise<ArchiveFiles | undefined> {
  const reading: Reading = {
    files: new Map(),
    folders: new Set(),
    executables: new Set(),
    links: new Map(),
    faults: [],
    linkFaults: new Map(),
    entries: 0,
    bytes: 0,
  };
  const inflated = inflate(bytes, most);
  try {
    for await (const entry of readTar(inflated, damage, { isWhole: true }))
      // its checksum is at its end
      if (!(await take(reading, entry))) break;
  } catch (error) {
    if (error instanceof TooMuch) return undefined;
    if (!(error instanceof Damaged)) throw error;
    reading.faults.push(damaged(error.message));
  } finally {
    await inflated.return(undefined);
  }
  const { files, executables, links, faults, linkFaults } = reading;
  if (faults.length > linkFaults.size) throw refusalOf(faults.slice(0, mostFaults));
  const refuseLinks: ArchiveFiles["refuseLinks"] = (isAllowed) => {
    const refused = faults.filter((one) => !isAllowed(linkFaults.get(one) ?? ""));
    if (refused.length > 0) throw refusalOf(refused.slice(0, mostFaults));
  };
  return { files, executables, links, refuseLinks };
}

async function* inflate(bytes: Uint8Array, most: number): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: 64 * 1024 });
  gunzip.end(bytes);
  let size = 0;
  try {
    for await (const chunk of gunzip as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > most) throw new TooMuch();
      yield chunk;
    }
    // zlib passes over what is behind zeros.
    if (bytes.subarray(gunzip.bytesWritten).some((byte) => byte !== 0))
      throw new Damaged("it has data after its end");
  } catch (error) {
    throw error instanceof TooMuch || error instanceof Damaged
      ? error
      : new Damaged("it is not valid gzip, or incomplete");
  } finally {
    gunzip.destroy();
  }
}

/** Keeps an entry, or what is wrong with it; false when no more is to be read. */
async function take(reading: Reading, entry: ArchiveEntry): Promise<boolean> {
  const { faults, files, folders } = reading;
  const tell = (code: ArchiveFaultCode, detail: string): boolean => {
    faults.push({ file: entry.name, code, detail });
    return faults.length - reading.linkFaults.size < mostFaults;
  };
  const isTooMany = entry.kind === "file" && files.size >= mostFiles;
  if (++reading.entries > mostEntries || isTooMany) {
    const words = isTooMany ? `${mostFiles} files` : `${mostEntries} files and folders`;
    const detail = `The archive has more than ${words}.`;
    faults.push({ file: "", code: "too_many_files", detail });
    return false;
  }
  const place = placeOf(entry.name);
  if ("code" in place) return tell(place.code, place.detail);
  const { name } = place;
  if (entry.kind === "folder") return files.has(name) ? tell(...twice) : Boolean(folders.add(name));
  const noFile = `is ${kindOf(entry)}: only files and folders are read`;
  if (entry.kind !== "file" && entry.kind !== "link") return tell("not_a_file", noFile);
  if (name === "") return tell("bad_name", "has no name");
  const isThere = (one: string): boolean => files.has(one) || reading.links.has(one);
  if (isThere(name) || folders.has(name)) return tell(...twice);
  for (let at = name.indexOf("/"); at !== -1; at = name.indexOf("/", at + 1)) {
    if (isThere(name.slice(0, at))) return tell(...twice);
    folders.add(name.slice(0, at));
  }
  if (entry.kind === "link") {
    reading.links.set(name, entry.target);
    const fault: Fault = { file: entry.name, code: "not_a_file", detail: noFile };
    reading.linkFaults.set(fault, name);
    return faults.push(fault) > 0;
  }
  const pieces: Uint8Array[] = [];
  for await (const piece of entry.body) {
    reading.bytes += piece.length;
    if (reading.bytes > unpackedBytes) throw new TooMuch();
    pieces.push(piece);
  }
  files.set(name, Buffer.concat(pieces));
  if ((entry.mode & 0o111) !== 0) reading.executables.add(name);
  return true;
}

const twice = ["duplicate_file", "is in the archive twice"] as const;

function kindOf({ kind, what }: ArchiveEntry): string {
  if (kind === "link") return "a link";
  return kind === "hard link" ? "a hard link" : (what ?? "no regular file");
}

const damaged = (words: string): Fault => ({
  file: "",
  code: "bad_archive",
  detail: `The archive cannot be read: ${words.replace(/^the archive /, "it ")}.`,
});

function refusalOf(faults: readonly Fault[]): Problem {
  const errors = faults.map(({ file, code, detail }) => {
    const at = { file: file.slice(0, 300), line: null, column: null, pointer: "#" } as const;
    return { ...at, code, detail };
  });
  const [first] = errors;
  const whose = first?.file === "" ? "" : `${first?.file}: `;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  return new Problem({
    status: 422,
    code: "invalid",
    detail: `${whose}${first?.detail ?? ""}${more}`,
    errors, // with the file besides, as the config's own
    members: { error_count: errors.length },
  });
}

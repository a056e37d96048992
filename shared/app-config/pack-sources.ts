import { createHash } from "node:crypto";
import { type ArchiveLinks, staysWithin } from "../tar/archive-links.ts";
import { type FolderEntry, packedBytes, packEntries } from "../tar/pack-entries.ts";
import { configLimits, type FoundFault } from "./config-fault.ts";
import type { ReadSources } from "./config-folder.ts";
import type { FileFault } from "./file-fault.ts";
import { isLeftOut } from "./is-left-out.ts";
import type { RawConfig } from "./raw-config.ts";
import { type Found, tableAt, tablesAt, textIn } from "./rules/rule.ts";

/** What a component, or the sandbox, is built from where that is a folder of the config's directory. */
export type PackedSource = {
  /** The component's name; empty for the sandbox. */
  readonly component: string;
  /** The folder, from the config's directory; empty for all of it. */
  readonly directory: string;
  readonly entries: readonly FolderEntry[];
  readonly tar: Buffer;
  readonly digest: string;
};

type Packed = Omit<PackedSource, "component">;
type Packing = {
  readonly read: ReadSources | undefined;
  readonly known: Map<string, Packed | FileFault>;
  bytes: number;
  files: number;
};

/**
 * Packs the folders that components and the sandbox name without a repository, and writes each one's digest beside its
 * name: a config whose sources are others is another config. Without a reader each such folder is a fault.
 */
export async function packSources(
  raw: RawConfig,
  read: ReadSources | undefined,
): Promise<{ readonly faults: readonly FoundFault[]; readonly sources: readonly PackedSource[] }> {
  const faults: FoundFault[] = [];
  const sources: PackedSource[] = [];
  const packing: Packing = { read, known: new Map(), bytes: 0, files: 0 };
  const sandbox = tableAt(raw.tree, "sandbox");
  for (const found of [...(sandbox ? [sandbox] : []), ...tablesAt(raw.tree, "components")]) {
    const given = found.value["directory"];
    const at = (member: string, { code, detail }: FileFault): void => {
      const isRoom = faults.length < configLimits.counted;
      if (isRoom) faults.push(raw.faultAt([...found.path, member], code, detail));
    };
    if (given === undefined && found.value["source_digest"] !== undefined)
      at("source_digest", digestAlone);
    if (typeof given !== "string" || hasRepository(found)) continue;
    const packed = await pack(packing, given);
    if ("code" in packed) at("directory", packed);
    else {
      Object.assign(found.value, { source_digest: packed.digest });
      const component = found === sandbox ? "" : (textIn(found, "name") ?? "");
      sources.push({ ...packed, component });
    }
  }
  return { faults, sources };
}

/** Another rule says that only one of these is given. */
const hasRepository = ({ value }: Found): boolean =>
  ["connected_repo", "public_repo", "helm_repo"].some((member) => value[member] !== undefined);

const digestAlone: FileFault = {
  code: "bad_value",
  detail: "source_digest is written by a sync, beside a directory: leave it out",
};

async function pack(packing: Packing, given: string): Promise<Packed | FileFault> {
  const directory = folderNamed(given);
  if (typeof directory !== "string") return directory;
  const known = packing.known.get(directory) ?? (await packOnce(packing, directory));
  packing.known.set(directory, known);
  return known;
}

async function packOnce(packing: Packing, directory: string): Promise<Packed | FileFault> {
  const shown = directory === "" ? "." : directory;
  if (packing.read === undefined)
    return {
      code: "missing_file",
      detail: `${shown} is a folder of the config's directory, and a JSON document has none: run svc app sync, or send the directory as a tar.gz, or name a public_repo`,
    };
  const read = await packing.read(directory);
  if ("code" in read) return { ...read, detail: `${shown} ${read.detail}` };
  const entries = read.filter(({ name }) => !name.split("/").some(isLeftOut));
  if (entries.length === 0) return { code: "missing_file", detail: `${shown} has no files` };
  const links: ArchiveLinks = new Map(
    entries.flatMap(({ kind, name, target }) => (kind === "link" ? [[name, target]] : [])),
  );
  const leaving = [...links.keys()].find((name) => !staysWithin(links, name));
  if (leaving !== undefined)
    return {
      code: "outside_root",
      detail: `${shown}: ${leaving.slice(0, 200)} is a link that leaves the folder`,
    };
  const bytes = packedBytes(entries);
  const { files, sourceBytes, sourcesBytes } = configLimits;
  if (bytes > sourceBytes)
    return tooLarge(`${shown} has ${mebibytes(bytes)}`, `one may have ${mebibytes(sourceBytes)}`);
  packing.files += entries.length;
  if (packing.files >= files)
    return tooLarge(
      `${shown} makes the files too many`,
      `all folders that components name may have ${files - 1} together`,
    );
  packing.bytes += bytes;
  if (packing.bytes > sourcesBytes)
    return tooLarge(
      `${shown} makes the folders too large`,
      `all that components name may have ${mebibytes(sourcesBytes)} together`,
    );
  const tar = packEntries(entries);
  return { directory, entries, tar, digest: digestOf(tar) };
}

const tooLarge = (what: string, most: string): FileFault => ({
  code: "config_too_costly",
  detail: `${what}: ${most}. Put it into a repository, and name that`,
});

const mebibytes = (bytes: number): string => `${Math.ceil((bytes * 10) / 2 ** 20) / 10} MiB`;
const digestOf = (tar: Buffer): string =>
  `sha256:${createHash("sha256").update(tar).digest("hex")}`;

/** A folder by its path from the config's directory, without what is not needed in it. */
function folderNamed(given: string): string | FileFault {
  const parts = given.split("/").filter((part) => part !== "" && part !== ".");
  if (given.startsWith("/"))
    return outside("directory is an absolute path: give it from the config's directory");
  if (parts.includes("..")) return outside("directory leaves the config's directory with ..");
  if (given.includes("{{"))
    return {
      code: "bad_value",
      detail: "directory has a template: a folder here has a fixed name",
    };
  if (parts.includes(".git")) return outside("directory is in .git");
  return parts.join("/");
}

const outside = (detail: string): FileFault => ({ code: "outside_root", detail });

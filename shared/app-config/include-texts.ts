import { type FoundFault, configLimits, type Path } from "./config-fault.ts";
import type { ConfigFolder } from "./config-folder.ts";
import { chosen, inner, treeSchema } from "./config-schemas.ts";
import { type FetchedText, fetchTexts, isUrl } from "./fetched-text.ts";
import type { FileFault } from "./file-fault.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { RawConfig } from "./raw-config.ts";
import { isTable } from "./rules/rule.ts";
import { outsideRoot, placesOfText } from "./text-places.ts";

/** The texts that were put in: from which files, and what is wrong with those that were named. */
export type Included = {
  readonly faults: FoundFault[];
  readonly warnings: FoundFault[];
  readonly files: readonly string[];
  /** Where texts are that were not read: there was no room for them, or enough was wrong. No fault says so of each. */
  readonly unread: readonly FoundFault[];
  /** The file of the text at a path. */
  readonly fileOf: (path: Path) => string | undefined;
};

type Folder = Pick<ConfigFolder, "read" | "fetch">;
type Including = {
  readonly raw: RawConfig;
  readonly folder: Folder | undefined;
  /** By their URLs. */
  readonly remote: ReadonlyMap<string, FetchedText | FileFault>;
  readonly fetched: Map<string, string>;
  readonly faults: FoundFault[];
  readonly warnings: FoundFault[];
  readonly unread: FoundFault[];
  readonly files: Set<string>;
  readonly texts: Map<string, string | FileFault>;
  /** Files by the paths of their texts. */
  readonly from: Map<string, string>;
  bytes: number;
  /** For how many files there is room. */
  readonly room: number;
  /** A bound was passed: what comes after it is not read any more. */
  isFull: boolean;
};

/** A path of a file, or a URL, at a path of the tree, and the table and key that get its text. */
type At = {
  readonly given: string;
  readonly path: Path;
  readonly into: Record<string, unknown>;
  readonly key: string;
};

/**
 * Replaces each `./path` by that file's text; without a folder each is a fault. Where the folder can fetch, URLs in the place of
 * texts are replaced, too, and the metadata say which these were, and the digests of what came.
 */
export async function includeTexts(raw: RawConfig, folder: Folder | undefined): Promise<Included> {
  const places = [...placesOf(treeSchema(), raw.tree, [])];
  const urls = new Set(places.map(({ given }) => given).filter(isUrl));
  const including: Including = {
    raw,
    folder,
    remote: folder?.fetch === undefined ? new Map() : await fetchTexts(urls, folder.fetch),
    fetched: new Map(),
    faults: [],
    warnings: [],
    unread: [],
    files: new Set(),
    texts: new Map(),
    from: new Map(),
    bytes: raw.bytes,
    isFull: false,
    room: configLimits.files - raw.files,
  };
  for (const at of places) if (isIncluded(including, at)) await include(including, at);
  keepFetched(including);
  const { faults, warnings, unread, files, from } = including;
  return { faults, warnings, unread, files: [...files], fileOf: (path) => from.get(keyOf(path)) };
}

/** A URL that nobody fetches stays, and is refused as a text. */
const isIncluded = ({ folder }: Including, { given }: At): boolean =>
  folder?.fetch !== undefined || !isUrl(given);

function keepFetched({ raw, fetched }: Including): void {
  const metadata = raw.tree["metadata"];
  if (fetched.size === 0 || !isTable(metadata)) return;
  const all = [...fetched].sort(([a], [b]) => (a < b ? -1 : 1));
  Object.assign(metadata, { fetched: all.map(([url, sha256]) => ({ url, sha256 })) });
}

const keyOf = (path: Path): string => path.join("\n");

/** The members of a value that are such paths. */
function* placesOf(schema: JsonSchema | undefined, value: unknown, path: Path): Generator<At> {
  if (typeof value !== "object" || value === null || schema === undefined) return;
  const own = chosen(schema, value);
  if (Array.isArray(value) ? own?.items === undefined : own?.type !== "object") return;
  const into = value as Record<string, unknown>;
  for (const [key, one] of Object.entries(value)) {
    const at = Array.isArray(value) ? Number(key) : key;
    const below = inner(own, at);
    if (typeof one !== "string") {
      if (below !== undefined) yield* placesOf(below, one, [...path, at]);
    } else if (/^\.{1,2}\//.test(one) && !one.includes("\n")) {
      const beside = below?.["x-file-at"];
      const target = beside ?? (below?.["x-file"] === true ? key : undefined);
      const isThere = beside !== undefined && into[beside] !== undefined;
      if (target !== undefined && !isThere) {
        yield { given: one, path: [...path, at], into, key: target };
      }
    } else if (below?.["x-file"] === true && isUrl(one)) {
      yield { given: one.trim(), path: [...path, at], into, key };
    }
  }
}

async function include(including: Including, at: At): Promise<void> {
  const { given, path, into, key } = at;
  into[key] = ""; // so that the name of a file that is not read is not checked as the text
  const { isFull, faults, raw } = including;
  if (isFull || faults.length >= configLimits.counted) {
    including.unread.push(raw.faultAt(path, "config_too_costly", given.slice(0, 200)));
    return;
  }
  const read = await textOf(including, at);
  if (typeof read === "string") into[key] = read;
  else faults.push(raw.faultAt(path, read.code, `${shownName(given)} ${read.detail}`));
}

/** A name that may be shown: of a URL not what may let in who has it. */
function shownName(given: string): string {
  if (!isUrl(given)) return given.slice(0, 200);
  if (!URL.canParse(given)) return "the URL";
  const { origin, pathname } = new URL(given);
  return `${origin}${pathname}`.slice(0, 200);
}

async function textOf(including: Including, at: At): Promise<string | FileFault> {
  if (isUrl(at.given)) return fetchedText(including, at);
  const { raw, files } = including;
  const places = placesOfText(at.given, raw.fileOf(at.path), String(at.path[0]));
  if (places.length === 0) return outsideRoot;
  if (including.folder === undefined)
    return {
      code: "missing_file",
      detail: "is a file, and a JSON document has none: write the text itself",
    };
  const there = [];
  for (const name of places) if (!isAbsent(await readText(including, name))) there.push(name);
  const [name, second] = there;
  if (name === undefined) {
    const words = places.length > 1 ? `: none of ${places.join(", ")} is` : "";
    return { code: "missing_file", detail: `is not there${words}` };
  }
  if (second !== undefined) {
    const detail = `${at.given} is read from ${name}; there is ${second}, too`;
    including.warnings.push(raw.faultAt(at.path, "found_twice", detail));
  }
  files.add(name);
  including.from.set(keyOf([...at.path.slice(0, -1), at.key]), name);
  const text = await readText(including, name);
  if (typeof text === "string") including.bytes += Buffer.byteLength(text);
  return isTooMuch(including) ?? (typeof text === "string" ? text : inWords(text, at.given, name));
}

function fetchedText(including: Including, { given, path, key }: At): string | FileFault {
  const { remote, fetched, from } = including;
  const found = remote.get(given);
  if (found === undefined) throw new Error("a text was not fetched");
  if ("code" in found) return found;
  fetched.set(given, found.sha256);
  from.set(keyOf([...path.slice(0, -1), key]), given.slice(0, 200));
  including.bytes += Buffer.byteLength(found.text);
  return isTooMuch(including) ?? found.text;
}

function isTooMuch(including: Including): FileFault | undefined {
  const { unpackedBytes, files } = configLimits;
  const isMany = including.files.size + including.fetched.size > including.room;
  if (!isMany && including.bytes <= unpackedBytes) return undefined;
  including.isFull = true;
  const mostBytes = unpackedBytes / 2 ** 20;
  const detail = isMany
    ? `makes the config too large: it has at most ${files} files`
    : `makes the config too large: with all its texts, each as often as it is named, it has at most ${mostBytes} MiB`;
  return { code: "config_too_costly", detail };
}

/** A fault that says which file it is of, where the name that was given does not. */
const inWords = ({ code, detail }: FileFault, given: string, name: string): FileFault =>
  given.replace(/^\.\//, "") === name ? { code, detail } : { code, detail: `(${name}) ${detail}` };

const isAbsent = (read: string | FileFault): boolean =>
  typeof read !== "string" && read.isAbsent === true;

const notThere: FileFault = { code: "missing_file", detail: "is not there", isAbsent: true };

async function readText({ folder, texts }: Including, name: string): Promise<string | FileFault> {
  const known = texts.get(name);
  if (known !== undefined) return known;
  const text = (await folder?.read(name)) ?? notThere;
  texts.set(name, text);
  return text;
}

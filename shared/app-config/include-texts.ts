import type { ConfigFolder, FileFault } from "./config-entries.ts";
import { type FoundFault, configLimits, type Path } from "./config-fault.ts";
import { chosen, inner, type JsonSchema, treeSchema } from "./config-schemas.ts";
import type { RawConfig } from "./raw-config.ts";

/** How many files there were, and what is wrong with those that were named. */
type Included = { readonly faults: FoundFault[]; readonly files: readonly string[] };

type Including = Included & {
  readonly raw: RawConfig;
  readonly folder: Pick<ConfigFolder, "read"> | undefined;
  readonly files: string[];
  readonly texts: Map<string, Known>;
  bytes: number;
  /** For how many files there is room. */
  readonly room: number;
  /** A bound was passed: what comes after it is not read any more. */
  isFull: boolean;
};

type Known = { readonly text: string | FileFault; readonly bytes: number };

type At = { readonly into: object; readonly key: string; readonly path: Path };

/** Replaces each `./path` by that file's text; without a folder each is a fault. */
export async function includeTexts(
  raw: RawConfig,
  folder: Pick<ConfigFolder, "read"> | undefined,
): Promise<Included> {
  const including: Including = {
    raw,
    folder,
    faults: [],
    files: [],
    texts: new Map(),
    bytes: raw.bytes,
    isFull: false,
    room: configLimits.files - raw.files,
  };
  for (const at of placesOf(treeSchema(), raw.tree, [])) await include(including, at);
  return including;
}

/** The members of a value that are such paths. */
function* placesOf(schema: JsonSchema | undefined, value: unknown, path: Path): Generator<At> {
  if (typeof value !== "object" || value === null || schema === undefined) return;
  const own = chosen(schema, value);
  if (Array.isArray(value) ? own?.items === undefined : own?.type !== "object") return;
  for (const [key, one] of Object.entries(value)) {
    const at = Array.isArray(value) ? Number(key) : key;
    const below = inner(own, at);
    if (typeof one === "string") {
      const isPath = below?.["x-file"] === true && /^\.{1,2}\//.test(one) && !one.includes("\n");
      if (isPath) yield { into: value, key, path: [...path, at] };
    } else if (below !== undefined) yield* placesOf(below, one, [...path, at]);
  }
}

async function include(including: Including, { into, key, path }: At): Promise<void> {
  const table = into as Record<string, string>; // a text is at the key
  const given = table[key] ?? "";
  table[key] = ""; // so that the name of a file that is not read is not checked as the text
  if (including.isFull || including.faults.length >= configLimits.counted) return;
  const read = await textOf(including, given);
  if (typeof read === "string") {
    table[key] = read;
    return;
  }
  including.faults.push(
    including.raw.faultAt(path, read.code, `${given.slice(0, 200)} ${read.detail}`),
  );
}

async function textOf(including: Including, given: string): Promise<string | FileFault> {
  const name = nameWithin(given);
  if (name === undefined)
    return { code: "outside_root", detail: "is outside the config's directory" };
  if (including.folder === undefined)
    return {
      code: "missing_file",
      detail: "is a file, and a JSON document has none: write the text itself",
    };
  const { text, bytes } = including.texts.get(name) ?? (await readText(including, name));
  including.bytes += bytes;
  const { unpackedBytes, files } = configLimits;
  const [mostBytes, isMany] = [unpackedBytes / 2 ** 20, including.files.length > including.room];
  if (!isMany && including.bytes <= unpackedBytes) return text;
  including.isFull = true;
  const detail = isMany
    ? `makes the config too large: it has at most ${files} files`
    : `makes the config too large: with all its texts, each as often as it is named, it has at most ${mostBytes} MiB`;
  return { code: "config_too_costly", detail };
}

async function readText({ folder, texts, files }: Including, name: string): Promise<Known> {
  const text = (await folder?.read(name)) ?? { code: "missing_file", detail: "is not there" };
  const known = { text, bytes: typeof text === "string" ? Buffer.byteLength(text) : 0 };
  texts.set(name, known);
  files.push(name);
  return known;
}

/** A path within the config's directory, from its root; undefined for one that leads out. */
function nameWithin(given: string): string | undefined {
  const parts: string[] = [];
  for (const part of given.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.length === 0 ? undefined : parts.join("/");
}

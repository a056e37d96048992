import { nearestWord } from "../nearest-word.ts";
import {
  type ConfigFault,
  type ConfigFaultCode,
  configLimits,
  makeFault,
  type Path,
  type Place,
  pointerTo,
} from "./config-fault.ts";
import { configFiles } from "./config-files.ts";
import { type PlaceOf, placesOfToml, readToml } from "./read-toml.ts";
import { isTable } from "./rules/rule.ts";

/** Why a file cannot be read. */
export type FileFault = { readonly code: ConfigFaultCode; readonly detail: string };

/** A directory: the names of its files, from its root and with slashes, and their texts. */
export type ConfigFolder = {
  readonly names: readonly string[];
  readonly read: (name: string) => Promise<string | FileFault>;
};

/** What a file of the config holds. */
export type ConfigEntry = {
  readonly value: unknown;
  /** Reads its places; undefined where it has none. They cost as much as its values, and more room. */
  readonly openPlaces: (() => PlaceOf) | undefined;
};

/** The files of a config by their names, and what is wrong already. */
export type ConfigEntries = {
  readonly entries: ReadonlyMap<string, ConfigEntry>;
  readonly faults: readonly ConfigFault[];
};

const rootFiles = configFiles.flatMap(({ file }) => (file === undefined ? [] : [file]));
const folders = [
  ...new Set(configFiles.flatMap(({ folder }) => (folder === undefined ? [] : [folder]))),
];

/** The path of a file in the JSON document of the same config. */
export const documentPath = (file: string): string[] => file.split("/");

/** Reads the TOML files of a directory, one after the other, giving way to others between them. */
export async function readFolderEntries(folder: ConfigFolder): Promise<ConfigEntries> {
  const entries = new Map<string, ConfigEntry>();
  const faults: ConfigFault[] = [];
  let bytes = 0;
  for (const name of folder.names.filter((one) => one.endsWith(".toml")).sort()) {
    const why = whyUnknown(name);
    if (why === "ignored") continue;
    if (why !== undefined) {
      faults.push(faultOf(name, undefined, { code: "unknown_key", detail: why }));
      continue;
    }
    const text = await folder.read(name);
    bytes += typeof text === "string" ? Buffer.byteLength(text) : 0;
    const fault = typeof text === "string" ? tooLarge(text, bytes) : text;
    if (fault !== undefined || typeof text !== "string") {
      if (fault !== undefined) faults.push(faultOf(name, undefined, fault));
      entries.set(name, { value: undefined, openPlaces: undefined });
      continue;
    }
    const read = readToml(text);
    faults.push(...read.faults.map(({ place, ...rest }) => faultOf(name, place, rest)));
    entries.set(
      name,
      read.isWhole
        ? { value: read.value, openPlaces: () => placesOfToml(text) }
        : { value: undefined, openPlaces: undefined },
    );
    await new Promise(setImmediate);
  }
  return { entries, faults };
}

/** Takes a JSON document apart: the tree of a directory, keyed by the files' names. */
export function readDocumentEntries(document: unknown): ConfigEntries {
  const entries = new Map<string, ConfigEntry>();
  const faults: ConfigFault[] = [];
  if (!isTable(document)) {
    const detail = "must be a table of the config's files";
    return { entries, faults: [faultOf("", undefined, { code: "wrong_type", detail })] };
  }
  const files = Object.entries(document).flatMap(([key, value]): [string, unknown][] => {
    if (!folders.includes(key)) return [[key, value]];
    if (isTable(value)) {
      return Object.entries(value).map(([file, one]) => [`${key}/${file}`, one]);
    }
    faults.push(
      faultOf(key, undefined, { code: "wrong_type", detail: "must be a table of files" }),
    );
    return [];
  });
  for (const [name, value] of files) {
    const why = whyUnknown(name);
    if (why === undefined) entries.set(name, { value, openPlaces: undefined });
    else {
      const detail = why === "ignored" ? unknownWords(name) : why;
      faults.push(faultOf(name, undefined, { code: "unknown_key", detail }));
    }
  }
  return { entries, faults };
}

type Told = FileFault & { readonly path?: Path };

function faultOf(file: string, place: Place | undefined, { code, detail, path = [] }: Told) {
  const at = place ?? { line: null, column: null };
  const pointer = pointerTo([...(file === "" ? [] : documentPath(file)), ...path]);
  return makeFault({ file, ...at, pointer, code, detail });
}

function tooLarge(text: string, bytes: number): FileFault | undefined {
  const code = "config_too_costly";
  if (Buffer.byteLength(text) > configLimits.tomlBytes) {
    const most = configLimits.tomlBytes / 1024;
    const detail = `has ${Buffer.byteLength(text)} bytes: at most ${most} KiB; put long texts in files of their own and name them as ./path`;
    return { code, detail };
  }
  if (bytes <= configLimits.tomlBytesOfAll) return undefined;
  const most = configLimits.tomlBytesOfAll / 1024;
  return { code, detail: `all TOML files together must have at most ${most} KiB` };
}

/** Why this is no file of a config; "ignored" for what is something else's. */
function whyUnknown(name: string): string | undefined {
  const [first = "", second, ...deeper] = name.split("/");
  if (second === undefined) return rootFiles.includes(first) ? undefined : unknownWords(name);
  if (!folders.includes(first)) {
    const meant = nearestWord(first, folders);
    return meant === undefined ? "ignored" : `is in no folder of a config; did you mean ${meant}/?`;
  }
  if (deeper.length > 0) return `is not read: put it into ${first}/ itself`;
  return second.endsWith(".toml") && second !== ".toml"
    ? undefined
    : "is not read: its name must end with .toml";
}

function unknownWords(name: string): string {
  const known = [...rootFiles, ...folders];
  const meant = nearestWord(name, known);
  const hint = meant === undefined ? `allowed are ${known.join(", ")}` : `did you mean ${meant}?`;
  return `is no file of a config; ${hint}`;
}

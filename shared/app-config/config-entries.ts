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
import { tooDeepWords } from "./costly-toml.ts";
import { countValues } from "./count-values.ts";
import { documentPath } from "./document-path.ts";
import { kindOfFile } from "./kind-of-file.ts";
import { missingMark } from "./missing-mark.ts";
import { type PlaceOf, placesOfToml, readToml } from "./read-toml.ts";
import { isTable } from "./rules/rule.ts";

/** Why a file cannot be read. */
export type FileFault = {
  readonly code: ConfigFaultCode;
  readonly detail: string;
  /** There is no file of that name: it may be elsewhere. */
  readonly isAbsent?: boolean;
};

/** A directory: the names of its files, from its root and with slashes, and their texts. */
export type ConfigFolder = {
  readonly names: readonly string[];
  readonly read: (name: string) => Promise<string | FileFault>;
  /** Folders whose files would be of the config, and why they are not read. */
  readonly refused?: ReadonlyMap<string, FileFault>;
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
  /** Files that are none of a config. */
  readonly ignored: readonly ConfigFault[];
  readonly bytes: number;
};

const rootFiles = configFiles.flatMap(({ file }) => (file === undefined ? [] : [file]));
const folders = [...new Set(configFiles.flatMap(({ folder = "" }) => folder.split("/", 1)))].filter(
  (folder) => folder !== "",
);

type Reading = {
  readonly entries: Map<string, ConfigEntry>;
  readonly faults: ConfigFault[];
  readonly ignored: ConfigFault[];
  bytes: number;
  values: number;
};
const begin = (): Reading => ({
  entries: new Map(),
  faults: [],
  ignored: [],
  bytes: 0,
  values: 0,
});
const unread: ConfigEntry = { value: undefined, openPlaces: undefined };

/** Reads the TOML files of a directory, one after the other, giving way to others between them. */
export async function readFolderEntries(folder: ConfigFolder): Promise<ConfigEntries> {
  const reading = begin();
  for (const [name, why] of folder.refused ?? [])
    reading.faults.push(faultOf(name, undefined, why));
  let files = 0;
  for (const name of folder.names.filter((one) => one.endsWith(".toml")).sort()) {
    const why = whyUnknown(name);
    if (why === "ignored") continue;
    if (++files > configLimits.files) return tooCostly(reading, name, manyFiles);
    if (why !== undefined) {
      reading.ignored.push(faultOf(name, undefined, { code: "ignored_key", detail: why }));
      continue;
    }
    const read = await folder.read(name);
    if (typeof read === "string") readFile(reading, name, read);
    else {
      reading.entries.set(name, unread);
      reading.faults.push(faultOf(name, undefined, read));
    }
    if (reading.bytes > configLimits.tomlBytesOfAll) return tooCostly(reading, name, manyBytes);
    if (reading.values > configLimits.values) return tooCostly(reading, name, manyValues);
    await new Promise(setImmediate);
  }
  return reading;
}

/** What comes after a bound is not read. */
function tooCostly(reading: Reading, name: string, detail: string): ConfigEntries {
  reading.faults.push(faultOf(name, undefined, { code: "config_too_costly", detail }));
  reading.entries.set(name, unread);
  return reading;
}

const manyFiles = `is one file more than a config has: at most ${configLimits.files}`;
const manyBytes = `brings all TOML files together to more than ${configLimits.tomlBytesOfAll / 1024} KiB, the most that they may have`;
const manyValues = `brings the config to more than ${configLimits.values} values, the most that it may have`;
const manyTexts = `brings the config with all its texts to more than ${configLimits.unpackedBytes / 2 ** 20} MiB, the most that it may have`;

function readFile(reading: Reading, name: string, text: string): void {
  const { entries, faults } = reading;
  const bytes = Buffer.byteLength(text);
  reading.bytes += bytes;
  entries.set(name, unread);
  if (bytes > configLimits.tomlBytes) {
    const detail = `has ${bytes} bytes: at most ${configLimits.tomlBytes / 1024} KiB; put long texts in files of their own and name them as ./path`;
    faults.push(faultOf(name, undefined, { code: "config_too_costly", detail }));
  } else if (reading.bytes <= configLimits.tomlBytesOfAll) {
    const read = readToml(text);
    for (const { place, ...fault } of read.faults) faults.push(faultOf(name, place, fault));
    if (!read.isWhole) return;
    reading.values += countValues(read.value, configLimits.valuesOfFile).values;
    const mark = missingMark(name, read.value);
    if (mark === undefined) keep(reading, name, read.value, () => placesOfToml(text));
    else {
      entries.delete(name);
      const detail = `is not read: it has no ${mark}, as files of this folder have`;
      reading.ignored.push(faultOf(name, undefined, { code: "ignored_key", detail }));
    }
  }
}

/** A file with nothing in it is as if it were not there; but for the app's own, which may have no member. */
function keep(
  { entries }: Reading,
  name: string,
  value: unknown,
  openPlaces: ConfigEntry["openPlaces"],
): void {
  const isEmpty = isTable(value) && Object.keys(value).length === 0 && name !== "metadata.toml";
  if (isEmpty) entries.delete(name);
  else entries.set(name, { value, openPlaces });
}

/** Takes a JSON document apart: the tree of a directory, keyed by the files' names. Its values are copied. */
export function readDocumentEntries(document: unknown): ConfigEntries {
  const reading = begin();
  const { faults } = reading;
  if (!isTable(document)) {
    const detail = "must be a table of the config's files";
    faults.push(faultOf("", undefined, { code: "wrong_type", detail }));
    return reading;
  }
  let files = 0;
  for (const [name, value] of filesIn(document, faults)) {
    if (++files > configLimits.files) return tooCostly(reading, name, manyFiles);
    if (name === "brands") continue; // of a document that was stored: those of whom it is given to count
    const why = whyUnknown(name);
    if (why === undefined) {
      const passed = readValue(reading, name, value);
      if (passed !== undefined) return tooCostly(reading, name, passed);
    } else {
      const detail = why === "ignored" ? unknownWords(name) : why;
      faults.push(faultOf(name, undefined, { code: "unknown_key", detail }));
    }
  }
  return reading;
}

function* filesIn(document: object, faults: ConfigFault[]): Generator<[string, unknown]> {
  for (const [key, value] of Object.entries(document) as [string, unknown][]) {
    if (!folders.includes(key)) yield [key, value];
    else if (isTable(value))
      for (const [file, one] of Object.entries(value)) yield [`${key}/${file}`, one];
    else {
      const detail = "must be a table of files";
      faults.push(faultOf(key, undefined, { code: "wrong_type", detail }));
    }
  }
}

/** Why what is read so far is too much, if it is. */
function readValue(reading: Reading, name: string, value: unknown): string | undefined {
  const { valuesOfFile } = configLimits;
  const { values, bytes, tooDeep } = countValues(value, valuesOfFile);
  reading.values += values;
  reading.bytes += bytes;
  if (reading.values > configLimits.values) return manyValues;
  if (reading.bytes > configLimits.unpackedBytes) return manyTexts;
  const isWhole = tooDeep === undefined && values <= valuesOfFile;
  if (isWhole) keep(reading, name, structuredClone(value), undefined);
  else reading.entries.set(name, unread);
  const most = `has more than ${valuesOfFile} values, the most that a file may have`;
  const fault: Told =
    tooDeep === undefined
      ? { code: "config_too_costly", detail: most }
      : { code: "bad_value", detail: tooDeepWords, path: tooDeep };
  if (!isWhole) reading.faults.push(faultOf(name, undefined, fault));
  return undefined;
}

type Told = FileFault & { readonly path?: Path };

function faultOf(
  file: string,
  place: Place | undefined,
  { code, detail, path = [] }: Omit<Told, "code"> & { readonly code: ConfigFault["code"] },
): ConfigFault {
  const at = place ?? { line: null, column: null };
  const pointer = pointerTo([...(file === "" ? [] : documentPath(file)), ...path]);
  return makeFault({ file, ...at, pointer, code, detail });
}

/** Why this is no file of a config; "ignored" for what is something else's. */
function whyUnknown(name: string): string | undefined {
  const [first = "", ...deeper] = name.split("/");
  if (deeper.length === 0) return rootFiles.includes(first) ? undefined : unknownWords(name);
  if (kindOfFile(name) === undefined) {
    const meant = nearestWord(first, folders);
    return meant === undefined ? "ignored" : `is in no folder of a config; did you mean ${meant}/?`;
  }
  return /[^/]\.toml$/.test(name) ? undefined : "is not read: its name must end with .toml";
}

function unknownWords(name: string): string {
  const known = [...rootFiles, ...folders];
  const meant = nearestWord(name, known);
  const hint = meant === undefined ? `known are ${known.join(", ")}` : `did you mean ${meant}?`;
  return `is no file of a config; ${hint}`;
}

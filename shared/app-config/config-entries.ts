import {
  type ConfigFault,
  configLimits,
  type FoundFault,
  makeFault,
  type Path,
  type Place,
  pointerTo,
} from "./config-fault.ts";
import type { ConfigFolder } from "./config-folder.ts";
import { tooDeepWords } from "./costly-toml.ts";
import { countValues } from "./count-values.ts";
import { documentPath, fileInDocument } from "./document-path.ts";
import type { FileFault } from "./file-fault.ts";
import { furtherInputs } from "./further-inputs.ts";
import { knownFolders, unknownWords, whyUnknown } from "./known-files.ts";
import { missingMark } from "./missing-mark.ts";
import { faultIn } from "./origins.ts";
import { type PlaceOf, placesOfToml, readToml } from "./read-toml.ts";
import { isTable } from "./rules/rule.ts";

/** What a file of the config holds. */
export type ConfigEntry = {
  readonly value: unknown;
  /** Reads its places; undefined where it has none. They cost as much as its values, and more room. */
  readonly openPlaces: (() => PlaceOf) | undefined;
};

/** The files of a config by their names, and what is wrong already. */
export type ConfigEntries = {
  readonly entries: ReadonlyMap<string, ConfigEntry>;
  readonly faults: readonly FoundFault[];
  /** Files that are none of a config. */
  readonly ignored: readonly ConfigFault[];
  /** Those that inputs.toml names as further ones like it. */
  readonly further: ReadonlySet<string>;
  readonly bytes: number;
};

type Reading = {
  readonly entries: Map<string, ConfigEntry>;
  readonly faults: FoundFault[];
  readonly ignored: ConfigFault[];
  readonly further: ReadonlySet<string>;
  bytes: number;
  values: number;
};
const begin = (): Reading => ({
  entries: new Map(),
  faults: [],
  ignored: [],
  further: new Set(),
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
    const much = tooMuch(reading);
    if (much !== undefined) return tooCostly(reading, name, much);
    await new Promise(setImmediate);
  }
  const further = await readFurther(reading, async (name) => {
    const read = costly(tooMuch(reading)) ?? (await folder.read(name));
    if (typeof read !== "string") return read;
    readFile(reading, name, read, true);
    return costly(tooMuch(reading));
  });
  return { ...reading, further, ignored: reading.ignored.filter(({ file }) => !further.has(file)) };
}

/** Of what is read already. */
function tooMuch({ bytes, values }: Reading): string | undefined {
  if (bytes > configLimits.tomlBytesOfAll) return manyBytes;
  return values > configLimits.values ? manyValues : undefined;
}

/** Reads the files that inputs.toml names, within the same bounds. */
async function readFurther(
  reading: Reading,
  read: (name: string) => Promise<FileFault | undefined>,
): Promise<ReadonlySet<string>> {
  const { entries, faults } = reading;
  return await furtherInputs({
    entries,
    read: async (name) => {
      await new Promise(setImmediate);
      return entries.size < configLimits.files ? await read(name) : costly(manyFiles);
    },
    tell: (file, within, told) => void faults.push(faultIn({ file, within }, told)),
  });
}

const costly = (detail: string | undefined): FileFault | undefined =>
  detail === undefined ? undefined : { code: "config_too_costly", detail };

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

function readFile(reading: Reading, name: string, text: string, isNamed = false): void {
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
    const mark = isNamed ? undefined : missingMark(name, read.value);
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
export async function readDocumentEntries(document: unknown): Promise<ConfigEntries> {
  const reading = begin();
  const { faults } = reading;
  if (!isTable(document)) {
    faults.push(faultOf("", undefined, { code: "wrong_type", detail: noTable }));
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
  const further = await readFurther(reading, async (name) => {
    const value = fileInDocument(document, name);
    return value === undefined ? notInDocument : costly(readValue(reading, name, value));
  });
  const named = new Set([...further].map((name) => documentPath(name)[0]));
  const known = faults.filter(({ code, file }) => code !== "unknown_key" || !named.has(file));
  return { ...reading, further, faults: known };
}

const noTable = "must be a table of the config's files";
const notInDocument: FileFault = {
  code: "missing_file",
  detail: "is no file of this document",
  isAbsent: true,
};

function* filesIn(document: object, faults: ConfigFault[]): Generator<[string, unknown]> {
  for (const [key, value] of Object.entries(document) as [string, unknown][]) {
    if (!knownFolders.includes(key)) yield [key, value];
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

import { type AST, ParseError, parseTOML } from "toml-eslint-parser";
import { configLimits, type Path, type Place, pointerTo } from "./config-fault.ts";
import type { ConfigFaultCode } from "./config-fault.ts";

/** A TOML text as values, with the place of each. */
export type ReadToml = {
  readonly value: Readonly<Record<string, unknown>>;
  /** The place of the key that is there, or of that of the nearest around it. */
  readonly placeOf: (path: Path) => Place;
  readonly faults: readonly TomlFault[];
};

export type TomlFault = {
  readonly path: Path;
  readonly place: Place;
  readonly code: ConfigFaultCode;
  readonly detail: string;
};

type Table = Record<string, unknown>;
type Reading = { readonly places: Map<string, Place>; readonly faults: TomlFault[] };

/** Reads a TOML 1.0 text; one that is none has one fault and no values. */
export function readToml(text: string): ReadToml {
  const reading: Reading = { places: new Map(), faults: [] };
  const value: Table = {};
  try {
    const [top] = parseTOML(text, { tomlVersion: "1.0.0" }).body;
    for (const node of top.body) {
      if (node.type === "TOMLTable") readTable(reading, value, node);
      else readPair(reading, { into: value, at: [], node });
    }
  } catch (error) {
    const fault = syntaxFault(error);
    return { value: {}, faults: [fault], placeOf: () => fault.place };
  }
  const placeOf = (path: Path): Place => nearestPlace(reading.places, path);
  return { value, placeOf, faults: reading.faults };
}

function syntaxFault(error: unknown): TomlFault {
  const fault = { path: [], code: "syntax" as const };
  if (error instanceof ParseError) {
    const place = { line: error.lineNumber, column: error.column + 1 };
    return { ...fault, place, detail: `is not valid TOML: ${lowerFirst(error.message)}` };
  }
  if (!(error instanceof RangeError)) throw error; // RangeError: its stack, or a text of over 100,000 characters
  const detail =
    "is too deep, or has too long a text in it: put long texts in files of their own and name them as ./path";
  return { ...fault, place: { line: 1, column: 1 }, detail };
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

function readTable(reading: Reading, root: Table, node: AST.TOMLTable): void {
  let into: unknown = root;
  for (const [at, key] of node.resolvedKey.entries()) {
    const path = node.resolvedKey.slice(0, at + 1);
    const next = at + 1 < node.resolvedKey.length ? node.resolvedKey[at + 1] : undefined;
    into = enter(into, key, typeof next === "number" ? [] : {});
    setPlace(reading, path, placeAt(node.key));
  }
  if (isRefused(reading, node.resolvedKey, node.key)) return;
  for (const pair of node.body)
    readPair(reading, { into: into as Table, at: node.resolvedKey, node: pair }); // a table, by the parser
}

type Pair = { readonly into: Table; readonly at: Path; readonly node: AST.TOMLKeyValue };

function readPair(reading: Reading, { into, at, node }: Pair): void {
  const keys = node.key.keys.map((key) => (key.type === "TOMLBare" ? key.name : key.value));
  let table: unknown = into;
  let path = at;
  for (const [nth, key] of keys.slice(0, -1).entries()) {
    path = [...path, key];
    table = enter(table, key, {});
    setPlace(reading, path, placeAt(node.key.keys[nth] ?? node.key));
  }
  const last = keys.at(-1) ?? "";
  path = [...path, last];
  if (isRefused(reading, path, node.key)) return;
  setPlace(reading, path, placeAt(node.key.keys.at(-1) ?? node.key));
  put(table as Table, last, valueOf(reading, path, node.value)); // a table, by the parser
}

/** What is at a key, made where nothing is. */
function enter(into: unknown, key: string | number, made: unknown): unknown {
  const table = into as Record<string | number, unknown>; // tables and lists, by the parser
  if (!Object.hasOwn(table, key)) put(table, key, made);
  return table[key];
}

/** Also a member called `__proto__`. */
function put(into: Record<string | number, unknown>, key: string | number, value: unknown): void {
  Object.defineProperty(into, key, { value, enumerable: true, configurable: true, writable: true });
}

function valueOf(reading: Reading, path: Path, node: AST.TOMLContentNode): unknown {
  if (isRefused(reading, path, node)) return null;
  if (node.type === "TOMLArray") {
    return node.elements.map((element, at) => {
      const place = [...path, at];
      setPlace(reading, place, placeAt(element));
      return valueOf(reading, place, element);
    });
  }
  if (node.type === "TOMLInlineTable") {
    const into: Table = {};
    for (const pair of node.body) readPair(reading, { into, at: path, node: pair });
    return into;
  }
  const fault = faultIn(node);
  if (fault !== undefined)
    reading.faults.push({ path, place: placeAt(node), code: "bad_value", detail: fault });
  return node.value;
}

function faultIn(node: AST.TOMLValue): string | undefined {
  if (node.kind === "string" && node.value.includes("\u0000")) return "must not hold U+0000";
  const isRounded = node.kind === "integer" && !Number.isSafeInteger(node.value);
  return isRounded ? `must be from -(2^53 - 1) to 2^53 - 1` : undefined;
}

function isRefused(
  reading: Reading,
  path: Path,
  node: { readonly loc: AST.SourceLocation },
): boolean {
  if (path.length <= configLimits.depth && !path.includes("__proto__")) return false;
  const isDeep = path.length > configLimits.depth;
  const detail = isDeep
    ? `is too deep: at most ${configLimits.depth} levels`
    : "must not be called __proto__";
  reading.faults.push({ path, place: placeAt(node), code: "bad_value", detail });
  return true;
}

const placeAt = ({ loc: { start } }: { readonly loc: AST.SourceLocation }): Place => ({
  line: start.line,
  column: start.column + 1,
});

/** The first place stays: that of a table's own header, not of those below it. */
function setPlace({ places }: Reading, path: Path, place: Place): void {
  const key = pointerTo(path);
  if (!places.has(key)) places.set(key, place);
}

function nearestPlace(places: ReadonlyMap<string, Place>, path: Path): Place {
  for (let length = path.length; length > 0; length--) {
    const place = places.get(pointerTo(path.slice(0, length)));
    if (place !== undefined) return place;
  }
  return { line: 1, column: 1 };
}

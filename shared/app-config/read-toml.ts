import { type AST, ParseError, parseTOML } from "toml-eslint-parser";
import { configLimits, type Path, type Place } from "./config-fault.ts";
import type { ConfigFaultCode } from "./config-fault.ts";
import { findCostlyToml, tooDeepWords } from "./costly-toml.ts";
import { PathMap } from "./path-map.ts";

/** A TOML text as values. */
export type ReadToml = {
  readonly value: Readonly<Record<string, unknown>>;
  /** Some of them have no values: whether these are all there are is not known. */
  readonly isWhole: boolean;
  readonly faults: readonly TomlFault[];
};

export type TomlFault = {
  readonly path: Path;
  readonly place: Place;
  readonly code: ConfigFaultCode;
  readonly detail: string;
};

/** The place of the key that is at a path, or of that of the nearest around it. */
export type PlaceOf = (path: Path) => Place;

type Table = Record<string, unknown>;
/** Values are read first; places, which are many times as large, only where they are asked for. */
type Reading = { readonly places: PathMap<Place> | undefined; readonly faults: TomlFault[] };

/** Reads a TOML 1.0 text; one that is none, or would cost too much, has one fault and no values. */
export function readToml(text: string): ReadToml {
  const costly = findCostlyToml(text);
  if (costly !== undefined) return { value: {}, isWhole: false, faults: [{ path: [], ...costly }] };
  const reading: Reading = { places: undefined, faults: [] };
  try {
    return { value: readWhole(reading, text), isWhole: true, faults: reading.faults };
  } catch (error) {
    return { value: {}, isWhole: false, faults: [syntaxFault(error)] };
  }
}

/** The places of a text that was read before. */
export function placesOfToml(text: string): PlaceOf {
  const places = new PathMap<Place>();
  readWhole({ places, faults: [] }, text);
  return (path) => places.nearest(path)?.value ?? { line: 1, column: 1 };
}

function readWhole(reading: Reading, text: string): Table {
  const value: Table = {};
  const [top] = parseTOML(text, { tomlVersion: "1.0.0" }).body;
  for (const node of top.body) {
    if (node.type === "TOMLTable") readTable(reading, value, node);
    else readPair(reading, { into: value, at: [], node });
  }
  return value;
}

function syntaxFault(error: unknown): TomlFault {
  if (!(error instanceof ParseError)) throw error;
  const place = { line: error.lineNumber, column: error.column + 1 };
  const detail = `is not valid TOML: ${lowerFirst(error.message)}`;
  return { path: [], code: "syntax", place, detail };
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

function readTable(reading: Reading, root: Table, node: AST.TOMLTable): void {
  let into: unknown = root;
  for (const [at, key] of node.resolvedKey.entries()) {
    const next = at + 1 < node.resolvedKey.length ? node.resolvedKey[at + 1] : undefined;
    into = enter(into, key, typeof next === "number" ? [] : {});
    if (reading.places !== undefined)
      setPlace(reading, node.resolvedKey.slice(0, at + 1), node.key);
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
    setPlace(reading, path, node.key.keys[nth] ?? node.key);
  }
  const last = keys.at(-1) ?? "";
  path = [...path, last];
  if (isRefused(reading, path, node.key)) return;
  setPlace(reading, path, node.key.keys.at(-1) ?? node.key);
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
  if (key !== "__proto__") into[key] = value;
  else
    Object.defineProperty(into, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
}

function valueOf(reading: Reading, path: Path, node: AST.TOMLContentNode): unknown {
  if (isRefused(reading, path, node)) return null;
  if (node.type === "TOMLArray") {
    const isRoomy = reading.places === undefined && path.length < configLimits.depth;
    return node.elements.map((element, at) => {
      // What is most of a long list needs no path of its own.
      if (isRoomy && element.type === "TOMLValue" && faultIn(element) === undefined)
        return element.value;
      const place = [...path, at];
      setPlace(reading, place, element);
      return valueOf(reading, place, element);
    });
  }
  if (node.type === "TOMLInlineTable") {
    const into: Table = {};
    for (const pair of node.body) readPair(reading, { into, at: path, node: pair });
    return into;
  }
  const fault = faultIn(node);
  if (fault !== undefined) tell(reading, { path, place: placeAt(node), detail: fault });
  return node.value;
}

function faultIn(node: AST.TOMLValue): string | undefined {
  if (node.kind === "string" && node.value.includes("\u0000")) return "must not hold U+0000";
  const isRounded = node.kind === "integer" && !Number.isSafeInteger(node.value);
  return isRounded ? `must be from -(2^53 - 1) to 2^53 - 1` : undefined;
}

type Located = { readonly loc: AST.SourceLocation };

function isRefused(reading: Reading, path: Path, node: Located): boolean {
  if (path.length <= configLimits.depth && !path.includes("__proto__")) return false;
  const isDeep = path.length > configLimits.depth;
  const detail = isDeep ? tooDeepWords : "must not be called __proto__";
  tell(reading, { path, place: placeAt(node), detail });
  return true;
}

function tell({ faults }: Reading, fault: Omit<TomlFault, "code">): void {
  if (faults.length < configLimits.counted) faults.push({ ...fault, code: "bad_value" });
}

const placeAt = ({ loc: { start } }: Located): Place => ({
  line: start.line,
  column: start.column + 1,
});

/** The first place stays: that of a table's own header, not of those below it. */
function setPlace({ places }: Reading, path: Path, node: Located): void {
  places?.add(path, placeAt(node));
}

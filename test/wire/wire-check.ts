import { type WireType, wireObjects, wireWords } from "./wire-types.ts";

/** What answers showed of the wire's types. */
export type WireCheck = {
  /** Holds a value against a type. */
  readonly look: (type: WireType, value: unknown, at: string) => void;
  /** `Type.member` of each member that had a value of its JSON type. */
  readonly answered: ReadonlySet<string>;
  /** The types of which there was an object. */
  readonly seen: ReadonlySet<string>;
  /** What differs, by `Type.member`, or by the operation where the answer itself does. */
  readonly differs: ReadonlyMap<string, string>;
};

/** Starts empty; `ours` are words of ours by enumeration, beside theirs. */
export function makeWireCheck(ours: Readonly<Record<string, readonly string[]>>): WireCheck {
  const [answered, seen] = [new Set<string>(), new Set<string>()];
  const differs = new Map<string, string>();
  const tell = (at: string, says: string): void => void (differs.has(at) || differs.set(at, says));

  function look(type: WireType, value: unknown, at: string): void {
    if (type.kind === "any" || type.kind === "none") return;
    if (type.kind === "maybe") return value === null ? undefined : look(type.of, value, at);
    if (type.kind === "named") return lookNamed(type.name, value, at);
    if (type.kind === "list") {
      if (Array.isArray(value)) for (const item of value) look(type.of, item, at);
      else tell(at, `is ${shapeOf(value)}, not a list`);
    } else if (type.kind === "map") {
      if (isObject(value)) for (const item of Object.values(value)) look(type.of, item, at);
      else tell(at, `is ${shapeOf(value)}, not a map`);
    } else if (!isPlain(type.kind, value)) tell(at, `is ${shapeOf(value)}, not ${type.kind}`);
  }

  function lookNamed(name: string, value: unknown, at: string): void {
    const words = wireWords.get(name);
    if (words !== undefined) {
      const known = typeof value === "string" && [...words, ...(ours[name] ?? [])].includes(value);
      return known ? undefined : tell(at, `is ${JSON.stringify(value)}, no ${name}`);
    }
    const members = wireObjects.get(name);
    if (members === undefined) return;
    if (!isObject(value)) return tell(at, `is ${shapeOf(value)}, not a ${name}`);
    seen.add(name);
    for (const [member, { type }] of members) {
      const own = `${name}.${member}`;
      const given = value[member];
      if (given === undefined) continue;
      if (given === null && isScalar(type)) continue; // clients read null as absent there
      answered.add(own);
      look(type, given, own);
    }
  }
  return { look, answered, seen, differs };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isScalar = ({ kind }: WireType): boolean =>
  kind === "string" || kind === "integer" || kind === "number" || kind === "boolean";

function isPlain(kind: string, value: unknown): boolean {
  return kind === "integer" ? Number.isInteger(value) : typeof value === kind;
}

function shapeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `${typeof value} ${JSON.stringify(value)}`;
}

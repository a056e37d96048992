import { isList, isMap, isNumber, type Json, type JsonObject, membersOf } from "../json-value.ts";
import { memberName, memberNamed } from "../member-of.ts";
import type { RenderWork } from "../render-work.ts";
import { memberTaint, type Taint, taintOfMembers } from "../taint.ts";
import { numberOf, textAt, wrongKind } from "./arguments.ts";
import type { Evaluated, TemplateFunction } from "./template-function.ts";

/** Functions of maps, and of what kind a value is. */
export const mapFunctions: readonly TemplateFunction[] = [
  {
    name: "dig",
    values: "KEY INSTEAD MAP …",
    takes: [3, 50],
    is: "What is in MAP, its last value, by KEY, in that by the next KEY, and so on; INSTEAD where one is not there. Each but the last is in a map.",
    choose: (operands, work) => {
      const [instead, from] = operands.slice(-2);
      const keys = operands.slice(0, -2).map((one) => textAt("dig", [one.value().found], 0));
      const other = instead?.value() ?? { found: null, taint: undefined };
      return dug(from?.value() ?? other, keys, other, work);
    },
  },
  {
    name: "set",
    values: "MAP KEY A",
    takes: [3, 3],
    is: 'MAP with A by KEY. Where MAP is a variable, or in one, as in `{{ $_ := set $map "key" 1 }}`, that variable has it from then on; it must be the action\'s own function there.',
    compute: (values, work) => {
      const map = mapOf("set", values[0] ?? null, work);
      work.spend(Math.ceil(Object.keys(map).length / 2));
      const key = textAt("set", values, 1);
      return Object.fromEntries([...Object.entries(map), [key, values[2] ?? null]]);
    },
    taintOf: ([map = null, key], [taint, ofKey, added]) => {
      if (taint === true || ofKey !== undefined || typeof key !== "string") return true;
      const known = Object.keys(isMap(map) ? map : {}).map(
        (name) => [name, memberTaint(taint, name)] as const,
      );
      return taintOfMembers([...known, [key, added]]);
    },
  },
  {
    name: "values",
    values: "MAP",
    takes: [1, 1],
    is: "A list of what is in MAP, in the order of its keys.",
    compute: ([map = null], work) =>
      membersOf(mapOf("values", map, work)).map(([, value]) => value),
    taintOf: ([map = null], [taint]) => (taint === true ? true : taintOfValues(map, taint)),
  },
  {
    name: "kindIs",
    values: "KIND A",
    takes: [2, 2],
    is: "Whether A is of KIND: `string`, `bool`, `map`, `slice` (a list), `float64` (a number; `int` and `int64` a whole one) or `invalid` (null).",
    compute: (values) => kindsOf(values[1] ?? null).includes(textAt("kindIs", values, 0)),
  },
];

function dug(
  from: Evaluated<Json>,
  keys: readonly string[],
  instead: Evaluated<Json>,
  work: RenderWork,
): Evaluated<Json> {
  let { found, taint } = from;
  for (const key of keys) {
    if (!isMap(found)) throw wrongKind("dig", "a map", found);
    const name = memberName(found, key, work);
    if (name === undefined) return taint === true ? { ...instead, taint: true } : instead;
    found = memberNamed(found, name);
    taint = memberTaint(taint, name);
  }
  return { found, taint };
}

/** The map, whose members are counted: they are gone through. */
function mapOf(name: string, value: Json, work: RenderWork): JsonObject {
  if (!isMap(value)) throw wrongKind(name, "a map", value);
  work.spend(Math.ceil(Object.keys(value).length / 2));
  return value;
}

const taintOfValues = (map: Json, taint: Taint): Taint =>
  taintOfMembers(
    (isMap(map) ? membersOf(map) : []).map(
      ([name], at) => [String(at), memberTaint(taint, name)] as const,
    ),
  );

function kindsOf(value: Json): readonly string[] {
  if (value === null) return ["invalid"];
  if (isNumber(value))
    return Number.isInteger(numberOf(value)) ? ["float64", "int", "int64"] : ["float64"];
  if (isList(value)) return ["slice"];
  return [typeof value === "object" ? "map" : typeof value === "string" ? "string" : "bool"];
}

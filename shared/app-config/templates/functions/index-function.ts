import { isList, type Json, textOf } from "../json-value.ts";
import { memberOf } from "../member-of.ts";
import { RenderError, type RenderWork } from "../render-work.ts";
import { textAt, wholeAt, wrongKind } from "./arguments.ts";
import { Absent, type Operand, type TemplateFunction } from "./template-function.ts";

/** What is in lists and maps by numbers and keys. */
export const indexFunction: TemplateFunction = {
  name: "index",
  values: "A KEY …",
  takes: [2, 50],
  is: "The member of a map, or the value of a list counted from 0; then what is in that by the next KEY.",
  choose: ([from, ...keys], work) => {
    const below = keys.map(keyWords);
    const base = from?.path();
    let found = from?.found() ?? null;
    if (found instanceof Absent) return new Absent([...found.path, ...below], found.isWhole);
    for (const key of keys) {
      const next = valueAt(found, key.value(), work);
      if (next === undefined) return new Absent([...(base ?? []), ...below], base !== undefined);
      found = next;
    }
    return found;
  },
};

function valueAt(value: Json, key: Json, work: RenderWork): Json | undefined {
  if (value === null) return undefined;
  if (isList(value)) {
    const found = value[wholeAt("index of a list", [key], 0)];
    if (found === undefined) throw new RenderError(`index is out of a list of ${value.length}`);
    return found;
  }
  if (typeof value !== "object") throw wrongKind("index", "a list or a map", value);
  return memberOf(value, textAt("index of a map", [key], 0), work);
}

/** Keys that are read may be secrets. */
const keyWords = ({ literal }: Operand): string => (literal === undefined ? "…" : textOf(literal));

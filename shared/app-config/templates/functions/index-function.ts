import { isList, type Json, textOf } from "../json-value.ts";
import { memberName, memberNamed } from "../member-of.ts";
import { RenderError, type RenderWork } from "../render-work.ts";
import { memberTaint } from "../taint.ts";
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
    let { found, taint } = from?.found() ?? { found: null, taint: undefined };
    if (found instanceof Absent)
      return { found: new Absent([...found.path, ...below], found.isWhole), taint };
    for (const key of keys) {
      const name = nameIn(found, key.value().found, work);
      if (name === undefined) {
        const absent = new Absent([...(base ?? []), ...below], base !== undefined);
        return { found: absent, taint: taint === true ? true : undefined };
      }
      found = memberNamed(found, name);
      taint = memberTaint(taint, String(name));
    }
    return { found, taint };
  },
};

/** What is found by a key, by its own name; undefined where there is nothing. */
function nameIn(value: Json, key: Json, work: RenderWork): string | number | undefined {
  if (value === null) return undefined;
  if (isList(value)) {
    const at = wholeAt("index of a list", [key], 0);
    if (value[at] === undefined) throw new RenderError(`index is out of a list of ${value.length}`);
    return at;
  }
  if (typeof value !== "object") throw wrongKind("index", "a list or a map", value);
  return memberName(value, textAt("index of a map", [key], 0), work);
}

/** Keys that are read may be secrets. */
const keyWords = ({ literal }: Operand): string => (literal === undefined ? "…" : textOf(literal));

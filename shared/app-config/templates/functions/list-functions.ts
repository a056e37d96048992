import { isList, type Json } from "../json-value.ts";
import { RenderError, type RenderWork } from "../render-work.ts";
import { memberTaint, type Taint, taintOfMembers } from "../taint.ts";
import { wrongKind } from "./arguments.ts";
import { wholeOf } from "./number-functions.ts";
import type { TemplateFunction } from "./template-function.ts";

/** Functions that make lists of lists. */
export const listFunctions: readonly TemplateFunction[] = [
  {
    name: "append",
    values: "LIST A",
    takes: [2, 2],
    is: "A list of the values of LIST and A; LIST stays as it is.",
    compute: ([list = null, value = null], work) => [...listOf("append", list, work), value],
    taintOf: ([list = null], [taint, added]) =>
      partsOf(taint, () => [...taintsOf(list, taint), added]),
  },
  {
    name: "slice",
    values: "LIST FROM TO",
    takes: [1, 3],
    is: "The values of LIST from the number FROM on (0, if it is left out) and before the number TO; null where LIST is empty.",
    compute: ([list = null, ...ends], work) => {
      const all = listOf("slice", list, work);
      if (all.length === 0) return null;
      const [from, to] = endsOf(all, ends);
      return all.slice(from, to);
    },
    taintOf: ([list = null, ...ends], [taint, ...others]) => {
      if (others.some((one) => one !== undefined)) return true;
      const all = isList(list) ? list : [];
      return partsOf(taint, () => taintsOf(list, taint).slice(...endsOf(all, ends)));
    },
  },
];

/** The list, whose values are counted: they are copied. */
function listOf(name: string, value: Json, work: RenderWork): readonly Json[] {
  if (!isList(value)) throw wrongKind(name, "a list", value);
  work.spend(Math.ceil(value.length / 8));
  return value;
}

function endsOf(list: readonly Json[], [first = 0, second = list.length]: readonly Json[]) {
  const [from, to] = [wholeOf("slice", first), wholeOf("slice", second)];
  const isWithin = from >= 0 && from <= to && to <= list.length;
  if (list.length > 0 && !isWithin)
    throw new RenderError(`slice takes places from 0 to ${list.length} here, the first one first`);
  return [from, to] as const;
}

const taintsOf = (list: Json, taint: Taint): Taint[] =>
  isList(list) ? list.map((_, at) => memberTaint(taint, String(at))) : [];

/** How sensitive a list is by its values; as a whole, where what it is made of is. */
function partsOf(whole: Taint, parts: () => readonly Taint[]): Taint {
  if (whole === true) return true;
  return taintOfMembers([...parts().entries()].map(([at, one]) => [String(at), one] as const));
}

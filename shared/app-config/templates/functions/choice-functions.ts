import { isEmpty, type Json } from "../json-value.ts";
import { RenderError } from "../render-work.ts";
import { textAt, wrongKind } from "./arguments.ts";
import {
  Absent,
  type Evaluated,
  type Found,
  type Operand,
  type TemplateFunction,
} from "./template-function.ts";

const nothing: Evaluated<Json> = { found: null, taint: undefined };
const isNothing = (found: Found): boolean => found instanceof Absent || isEmpty(found);

/** Functions that choose among their values. */
export const choiceFunctions: readonly TemplateFunction[] = [
  {
    name: "and",
    values: "A B …",
    takes: [1, 50],
    is: "The first value that is empty, or the last one; those after it are not looked at.",
    choose: (operands) => firstOf(operands, isNothing),
  },
  {
    name: "or",
    values: "A B …",
    takes: [1, 50],
    is: "The first value that is not empty, or the last one; those after it are not looked at.",
    choose: (operands) => firstOf(operands, (found) => !isNothing(found)),
  },
  {
    name: "not",
    values: "A",
    takes: [1, 1],
    is: "Whether the value is empty.",
    choose: ([operand]) => {
      const { found, taint } = operand?.asked() ?? nothing;
      return { found: isNothing(found), taint: taint === true ? true : undefined };
    },
  },
  {
    name: "default",
    values: "INSTEAD A",
    takes: [2, 2],
    is: "A, or INSTEAD where A is absent or empty.",
    choose: ([instead, given]) => {
      const one = given?.found() ?? nothing;
      return isNothing(one.found) ? (instead?.asked() ?? nothing) : one;
    },
  },
  {
    name: "coalesce",
    values: "A B …",
    takes: [1, 50],
    is: "The first value that is neither absent nor empty; null if there is none.",
    choose: (operands) => {
      for (const operand of operands) {
        const one = operand.found();
        if (!isNothing(one.found)) return one;
      }
      return nothing;
    },
  },
  {
    name: "ternary",
    values: "YES NO A",
    takes: [3, 3],
    is: "YES where A is true, NO where it is false.",
    compute: ([yes = null, no = null, given = null]) => {
      if (typeof given !== "boolean") throw wrongKind("ternary", "true or false", given);
      return given ? yes : no;
    },
  },
  {
    name: "required",
    values: "MESSAGE A",
    takes: [2, 2],
    is: "A; where it is absent, null or the empty text, rendering fails with MESSAGE.",
    choose: ([message, given]) => {
      const said = textAt("required", [message?.value().found ?? null], 0);
      const one = given?.value(said) ?? nothing;
      if (one.found === null || one.found === "") throw new RenderError(said);
      return one;
    },
  },
];

function firstOf(operands: readonly Operand[], isIt: (found: Found) => boolean): Evaluated {
  let one: Evaluated = nothing;
  for (const operand of operands) {
    one = operand.asked();
    if (isIt(one.found)) break;
  }
  return one;
}

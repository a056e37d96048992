import { isEmpty } from "../json-value.ts";
import { RenderError } from "../render-work.ts";
import { textAt, wrongKind } from "./arguments.ts";
import { Absent, type Found, type Operand, type TemplateFunction } from "./template-function.ts";

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
    choose: ([operand]) => isNothing(operand?.asked() ?? null),
  },
  {
    name: "default",
    values: "INSTEAD A",
    takes: [2, 2],
    is: "A, or INSTEAD where A is absent or empty.",
    choose: ([instead, given]) => {
      const found = given?.found() ?? null;
      return isNothing(found) ? (instead?.asked() ?? null) : found;
    },
  },
  {
    name: "coalesce",
    values: "A B …",
    takes: [1, 50],
    is: "The first value that is neither absent nor empty; null if there is none.",
    choose: (operands) => {
      for (const operand of operands) {
        const found = operand.found();
        if (!isNothing(found)) return found;
      }
      return null;
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
      const said = textAt("required", [message?.value() ?? null], 0);
      const value = given?.value(said) ?? null;
      if (value === null || value === "") throw new RenderError(said);
      return value;
    },
  },
];

function firstOf(operands: readonly Operand[], isIt: (found: Found) => boolean): Found {
  let found: Found = null;
  for (const operand of operands) {
    found = operand.asked();
    if (isIt(found)) break;
  }
  return found;
}

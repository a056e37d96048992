import { type Json, jsonOf, kindWords } from "../json-value.ts";
import { RenderError } from "../render-work.ts";
import { numberOf } from "./arguments.ts";
import type { TemplateFunction } from "./template-function.ts";

type Compare = (name: string, a: Json, b: Json) => boolean;

/** Functions that compare values. */
export const comparisonFunctions: readonly TemplateFunction[] = [
  {
    name: "eq",
    values: "A B …",
    takes: [2, 50],
    is: "Whether A equals one of the others. Null equals null alone; else both are texts, numbers or booleans.",
    compute: ([a = null, ...others]) => others.some((b) => isEqual("eq", a, b)),
  },
  comparison("ne", "Whether A does not equal B.", (name, a, b) => !isEqual(name, a, b)),
  comparison("lt", "Whether A is less than B: both numbers, or both texts.", isBefore),
  comparison("le", "Whether A is at most B.", (name, a, b) => !isBefore(name, b, a)),
  comparison("gt", "Whether A is more than B.", (name, a, b) => isBefore(name, b, a)),
  comparison("ge", "Whether A is at least B.", (name, a, b) => !isBefore(name, a, b)),
];

function comparison(name: string, is: string, compare: Compare): TemplateFunction {
  return {
    name,
    values: "A B",
    takes: [2, 2],
    is,
    compute: ([a = null, b = null]) => compare(name, a, b),
  };
}

function isEqual(name: string, a: Json, b: Json): boolean {
  if (a === null || b === null) return a === b;
  const isPlain = typeof a !== "object" || numberOf(a) !== undefined;
  if (!isPlain || kindWords(a) !== kindWords(b)) throw unlike(name, a, b);
  return typeof a === "object" || typeof b === "object" ? jsonOf(a) === jsonOf(b) : a === b;
}

function isBefore(name: string, a: Json, b: Json): boolean {
  if (typeof a === "string" && typeof b === "string") return a < b;
  const [left, right] = [numberOf(a), numberOf(b)];
  if (left === undefined || right === undefined) throw unlike(name, a, b);
  return left < right;
}

const unlike = (name: string, a: Json, b: Json): RenderError =>
  new RenderError(`${name} does not compare ${kindWords(a)} with ${kindWords(b)}`);

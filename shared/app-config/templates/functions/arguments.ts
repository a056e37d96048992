import { isKeptNumber } from "../../../parse-exactly.ts";
import { isNumber, type Json, kindWords } from "../json-value.ts";
import { RenderError } from "../render-work.ts";

/** The value at a place, which must be a text. Throws RenderError. */
export function textAt(name: string, values: readonly Json[], at: number): string {
  const value = values[at] ?? null;
  if (typeof value !== "string") throw wrongKind(name, "a text", value);
  return value;
}

/** The value at a place, which must be a whole number. Throws RenderError. */
export function wholeAt(name: string, values: readonly Json[], at: number): number {
  const value = values[at] ?? null;
  if (typeof value !== "number" || !Number.isSafeInteger(value))
    throw wrongKind(name, "a whole number", value);
  return value;
}

/** A number that may be compared; undefined for what is none. */
export function numberOf(value: Json): number | undefined {
  if (!isNumber(value)) return undefined;
  return isKeptNumber(value) ? Number(JSON.stringify(value)) : (value as number);
}

/** What a function says of a value that it does not take. */
export const wrongKind = (name: string, takes: string, value: Json): RenderError =>
  new RenderError(`${name} takes ${takes}, not ${notWords(takes, value)}`);

const notWords = (takes: string, value: Json): string => {
  const kind = kindWords(value);
  return takes === "a whole number" && kind === "a number" ? "one with a fraction" : kind;
};

import type { Json } from "../../shared/app-config/templates/json-value.ts";
import type { Output } from "../../shared/app-config/templates/rendering.ts";
import { unquoteText } from "../../shared/app-config/templates/unquote-text.ts";
import { parseExactly } from "../../shared/parse-exactly.ts";

/**
 * What stands outside of quotes for what an action gives: a list or a number as it is, the value of JSON that `toJson` has made, the text
 * that `quote` was given. Any other text is a text, but for true, false and numbers.
 */
export function valueIn({ text, value, madeBy }: Output): Json {
  if (typeof value !== "string") return value;
  if (madeBy === "toJson" || madeBy === "toPrettyJson") return parsed(text);
  if (madeBy === "quote" && /^".*"$/s.test(text)) return unquoteText(text.slice(1, -1)) ?? text;
  if (madeBy === "squote" && /^'.*'$/s.test(text)) return text.slice(1, -1);
  return scalarOf(text);
}

/** Within a list, for `parseExactly` takes no number that stands alone. */
const parsed = (text: string): Json => (parseExactly(`[${text}]`) as [Json])[0]; // toJson made it

/** A number is one whose letters stay the same whoever reads it: neither `1.10` nor `1e5` is. */
export function scalarOf(text: string): boolean | number | string {
  if (text === "true" || text === "false") return text === "true";
  const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) && String(number) === text ? number : text;
}

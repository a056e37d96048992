import { hiddenValue } from "../hidden-value.ts";
import { viewBounds } from "./plan-view.ts";

/** Takes out of a text what nobody may see. */
export type Hide = (text: string) => string;

export type ShownValue = { readonly value: unknown; readonly isCut: boolean };

/** Longer texts are not searched to their end for what is to be hidden. */
const mostSearched = 64 * 1024;
const mostDepth = 32;

/** A value as a view has it: short as it is, and of a long one the beginning as text. It costs no more than what is shown. */
export function shownValue(value: unknown, hide: Hide): ShownValue {
  if (typeof value === "string") {
    const { text, isCut } = cutText(hide(value.slice(0, mostSearched)), viewBounds.valueBytes);
    return { value: text, isCut };
  }
  if (typeof value !== "object" || value === null) {
    return { value: shownScalar(value, hide), isCut: false };
  }
  const written = { text: "", isCut: false };
  write(value, written, { hide, depth: 0 });
  const { text, isCut } = cutText(written.text, viewBounds.valueBytes);
  if (isCut || written.isCut) return { value: text, isCut: true };
  return { value: JSON.parse(text) as unknown, isCut: false };
}

/** The text, or its beginning where it has more bytes. */
export function cutText(
  text: string,
  mostBytes: number,
): { readonly text: string; readonly isCut: boolean } {
  const beginning = text.slice(0, mostBytes);
  const bytes = Buffer.from(beginning);
  if (beginning.length === text.length && bytes.length <= mostBytes) {
    return { text: text.toWellFormed(), isCut: false };
  }
  const kept = bytes
    .subarray(0, mostBytes)
    .toString("utf8")
    .replace(/\ufffd+$/, "");
  return { text: `${kept}…`, isCut: true };
}

/** A number may be secret, too. */
const shownScalar = (value: unknown, hide: Hide): unknown =>
  typeof value === "number" && hide(String(value)) !== String(value) ? hiddenValue : value;

type Written = { text: string; isCut: boolean };
type How = { readonly hide: Hide; readonly depth: number };

/** JSON, until there is more of it than is shown. */
function write(value: unknown, to: Written, { hide, depth }: How): void {
  if (to.text.length > viewBounds.valueBytes || depth > mostDepth) {
    to.isCut = true;
    return;
  }
  if (typeof value === "string") {
    to.text += JSON.stringify(hide(value.slice(0, mostSearched)));
    return;
  }
  if (typeof value !== "object" || value === null) {
    to.text += JSON.stringify(shownScalar(value, hide)) ?? "null";
    return;
  }
  const isList = Array.isArray(value);
  const names = isList ? value.keys() : Object.keys(value);
  to.text += isList ? "[" : "{";
  let comma = "";
  for (const name of names) {
    if (to.isCut) return;
    to.text += comma;
    if (typeof name === "string") to.text += `${JSON.stringify(hide(name))}:`;
    write(Reflect.get(value, name), to, { hide, depth: depth + 1 });
    comma = ",";
  }
  to.text += isList ? "]" : "}";
}

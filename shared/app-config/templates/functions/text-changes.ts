import { finderOf, splitAt } from "../../../find-text.ts";
import type { RenderWork } from "../render-work.ts";

/** A text with each letter changed; where one would become two, as ß does, it stays as it is. */
export function changeLetters(
  text: string,
  change: (letter: string) => string,
  work: RenderWork,
): string {
  // oxlint-disable-next-line no-control-regex
  if (/^[\0-\x7f]*$/.test(text)) return change(text);
  work.spend(Math.ceil(text.length / 2));
  return Array.from(text, (letter) => {
    const changed = change(letter);
    return Array.from(changed).length === 1 ? changed : letter;
  }).join("");
}

/** What Unicode calls white space: U+0085 is, the byte order mark is not. */
const isSpace = (letter: string): boolean => /[\u0085\s]/.test(letter) && letter !== "\uFEFF";

/** A text without the white space around it. */
export function trimSpaces(text: string, work: RenderWork): string {
  let [from, to] = [0, text.length];
  while (from < to && isSpace(text.charAt(from))) if (from++ % 8 === 0) work.spend(1);
  while (to > from && isSpace(text.charAt(to - 1))) if (to-- % 8 === 0) work.spend(1);
  return text.slice(from, to);
}

/** Whether a part is in a text, however both are made. */
export function containsText(part: string, text: string, work: RenderWork): boolean {
  spendSearch(part, text, work);
  return finderOf(part)(text, 0) !== -1;
}

/** Long parts are looked for letter by letter. */
function spendSearch(part: string, text: string, work: RenderWork): void {
  if (part.length <= 64) return;
  work.spendLetters(part);
  work.spendLetters(text);
}

/** The first bytes of a text, or the last ones if they are negative, without half a letter at the cut. */
export function cutBytes(text: string, bytes: number): string {
  const length = Buffer.byteLength(text);
  if (length <= Math.abs(bytes)) return text;
  return bytes >= 0 ? cutBetween(text, 0, bytes) : cutBetween(text, length + bytes, length);
}

/** The bytes of a text between two places in it, without half a letter at either. */
export function cutBetween(text: string, from: number, to: number): string {
  const whole = Buffer.from(text);
  const isWithin = (at: number): boolean => ((whole[at] ?? 0) & 0xc0) === 0x80;
  let [begin, end] = [from, to];
  while (begin < end && isWithin(begin)) begin++;
  while (end > begin && isWithin(end)) end--;
  return whole.toString("utf8", begin, end);
}

/** A text with spaces before each of its lines. */
export function indentText(text: string, spaces: number, work: RenderWork): string {
  const lines = splitText(text, "\n", work);
  work.spendText(text.length + lines.length * spaces);
  const pad = " ".repeat(spaces);
  return lines.map((line) => pad + line).join("\n");
}

type Replacement = { readonly text: string; readonly old: string; readonly by: string };

/** A text with another for each part of it; an empty part is between all letters, as in Go. */
export function replaceText({ text, old, by }: Replacement, work: RenderWork): string {
  const found = splitText(text, old, work);
  const parts = old === "" ? ["", ...found, ""] : found;
  work.spendText(text.length + parts.length * by.length);
  return parts.join(by);
}

/** The parts of a text between separators, each letter if they are empty; counted before they are made. */
export function splitText(text: string, separator: string, work: RenderWork): string[] {
  if (separator === "") {
    work.spend(text.length);
    return Array.from(text);
  }
  spendSearch(separator, text, work);
  const find = finderOf(separator);
  let count = 1;
  for (let at = find(text, 0); at !== -1; count++) at = find(text, at + separator.length);
  work.spend(count);
  return splitAt(text, separator);
}

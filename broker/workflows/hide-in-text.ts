import { replaceEach } from "../../shared/find-text.ts";
import { hiddenValue } from "../../shared/hidden-value.ts";
import { PartFinder } from "../../shared/part-finder.ts";

/**
 * A text in which these values are hidden wherever they stand; also its start, where the text was cut off within it.
 * `count` is told how many letters are about to be looked at.
 */
export function hideInText(
  text: string,
  values: readonly unknown[],
  count: (letters: number) => void = () => {},
): string {
  const texts = textsOf(values);
  const within = new Set(new PartFinder(texts, { count }).partsIn(text));
  const found = texts.filter((one) => within.has(one));
  count((found.length * text.length) / engineLetters);
  const shown = found.reduce((kept, one) => replaceEach(kept, one, hiddenValue), text);
  if (!shown.endsWith(cutOff)) return shown;
  const kept = shown.slice(0, -cutOff.length);
  const longest = texts[0]?.length ?? 0;
  for (let at = Math.max(0, kept.length - longest); at <= kept.length - leastOfCut; at++) {
    const rest = kept.slice(at);
    if (texts.some((one) => one.startsWith(rest)))
      return `${kept.slice(0, at)}${hiddenValue}${cutOff}`;
  }
  return shown;
}

/** The engine looks for one that it has found before in so many letters at once. */
const engineLetters = 16;
/** How long texts of faults end. */
const cutOff = "…";
/** Fewer letters tell nothing. */
const leastOfCut = 3;

/** The forms in which values stand in texts, the longest first: none is part of one after it. */
function textsOf(values: readonly unknown[]): string[] {
  const texts = values.flatMap(formsOf).filter((text) => text !== "");
  return [...new Set(texts)].sort((a, b) => b.length - a.length);
}

function formsOf(value: unknown): string[] {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const within = JSON.stringify(text).slice(1, -1);
  return [text, within, Buffer.from(text).toString("base64")];
}

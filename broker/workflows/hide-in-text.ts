import { replaceEach } from "../../shared/find-text.ts";
import { hiddenValue } from "../../shared/hidden-value.ts";

/** A text in which these values are hidden wherever they stand; also the begin of one, where the text was cut off within it. */
export function hideInText(text: string, values: readonly unknown[]): string {
  const texts = textsOf(values);
  const shown = texts.reduce((kept, one) => replaceEach(kept, one, hiddenValue), text);
  if (!shown.endsWith(cutOff)) return shown;
  const kept = shown.slice(0, -cutOff.length);
  for (let at = 0; at <= kept.length - leastOfCut; at++) {
    const rest = kept.slice(at);
    if (texts.some((one) => one.startsWith(rest)))
      return `${kept.slice(0, at)}${hiddenValue}${cutOff}`;
  }
  return shown;
}

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

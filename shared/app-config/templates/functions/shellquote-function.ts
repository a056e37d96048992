import { isList, isMap, type Json, textOf } from "../json-value.ts";
import { RenderError, type RenderWork } from "../render-work.ts";
import type { TemplateFunction } from "./template-function.ts";
import { replaceText } from "./text-changes.ts";

/** Words of a command that a shell takes as they are, whatever is in them. */
export const shellquoteFunction: TemplateFunction = {
  name: "shellquote",
  values: "A …",
  takes: [1, 50],
  is: "Each value as one word of a POSIX shell, in single quotes; of a list each value, with spaces between them. A text with a NUL is refused. It is for a place outside of other quotes.",
  compute: (values, work) => {
    const words = values.flatMap((value) => (isList(value) ? value : [value]));
    work.spend(words.length);
    const quoted = words.map((word) => quoteWord(word, work));
    work.spendText(quoted.reduce((sum, word) => sum + word.length + 1, 0));
    return quoted.join(" ");
  },
};

function quoteWord(value: Json, work: RenderWork): string {
  if (isList(value) || isMap(value)) work.spendValue(value);
  const text = textOf(value);
  work.spendText(text.length);
  if (text.includes("\0")) throw new RenderError("shellquote takes no text with a NUL");
  return `'${replaceText({ text, old: "'", by: String.raw`'\''` }, work)}'`;
}

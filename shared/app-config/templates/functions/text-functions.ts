import { isList, isMap, type Json, textOf } from "../json-value.ts";
import { RenderError, type RenderWork } from "../render-work.ts";
import { textAt, wholeAt } from "./arguments.ts";
import { formatText } from "./format-text.ts";
import { quoteText } from "./quote-text.ts";
import type { TemplateFunction } from "./template-function.ts";
import {
  changeLetters,
  containsText,
  cutBetween,
  cutBytes,
  indentText,
  replaceText,
  splitText,
  trimSpaces,
} from "./text-changes.ts";

/** Functions that make texts of texts. */
export const textFunctions: readonly TemplateFunction[] = [
  ofOne("upper", "In capital letters, letter by letter.", (text, work) =>
    changeLetters(text, (letter) => letter.toUpperCase(), work),
  ),
  ofOne("lower", "In small letters, letter by letter.", (text, work) =>
    changeLetters(text, (letter) => letter.toLowerCase(), work),
  ),
  ofOne("trim", "Without white space at its begin and end.", trimSpaces),
  ofTwo("trimPrefix", "PREFIX TEXT", "TEXT without PREFIX at its begin.", (prefix, text) =>
    text.startsWith(prefix) ? text.slice(prefix.length) : text,
  ),
  ofTwo("trimSuffix", "SUFFIX TEXT", "TEXT without SUFFIX at its end.", (suffix, text) =>
    text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text,
  ),
  ofTwo("contains", "PART TEXT", "Whether PART is in TEXT.", containsText),
  ofTwo("hasPrefix", "PREFIX TEXT", "Whether TEXT begins with PREFIX.", (prefix, text) =>
    text.startsWith(prefix),
  ),
  ofTwo("hasSuffix", "SUFFIX TEXT", "Whether TEXT ends with SUFFIX.", (suffix, text) =>
    text.endsWith(suffix),
  ),
  {
    name: "replace",
    values: "OLD NEW TEXT",
    takes: [3, 3],
    is: "TEXT with NEW for every OLD.",
    compute: (values, work) => {
      const [old, by] = [textAt("replace", values, 0), textAt("replace", values, 1)];
      return replaceText({ text: textAt("replace", values, 2), old, by }, work);
    },
  },
  {
    name: "split",
    values: "SEPARATOR TEXT",
    takes: [2, 2],
    is: "A map of the parts between SEPARATOR: `_0`, `_1` and so on.",
    compute: (values, work) => {
      const [separator, text] = [textAt("split", values, 0), textAt("split", values, 1)];
      const parts = splitText(text, separator, work);
      return Object.fromEntries(parts.map((part, at) => [`_${at}`, part]));
    },
  },
  {
    name: "join",
    values: "SEPARATOR LIST",
    takes: [2, 2],
    is: "The values of LIST but for nulls as one text with SEPARATOR between them.",
    compute: (values, work) => joinTexts(textAt("join", values, 0), values[1] ?? null, work),
  },
  {
    name: "trunc",
    values: "BYTES TEXT",
    takes: [2, 2],
    is: "The first BYTES of TEXT, or the last ones if BYTES is negative; half a letter is left out.",
    compute: (values) => cutBytes(textAt("trunc", values, 1), wholeAt("trunc", values, 0)),
  },
  {
    name: "substr",
    values: "FROM TO TEXT",
    takes: [3, 3],
    is: "The bytes of TEXT from the number FROM on and before the number TO: from its begin where FROM is negative, to its end where TO is negative or beyond it. Half a letter is left out.",
    compute: (values) => bytesBetween(textAt("substr", values, 2), values),
  },
  indented("indent", "TEXT with SPACES spaces before each line.", ""),
  indented("nindent", "A line break, then what `indent` gives.", "\n"),
  quoted(
    "quote",
    "Each value but nulls in double quotes with Go's escapes. No shell's quotes: `shellquote` is.",
    quoteText,
  ),
  quoted(
    "squote",
    "Each value but nulls in single quotes, as it is. No shell's quotes: `shellquote` is.",
    (text) => `'${text}'`,
  ),
  {
    name: "printf",
    values: "FORMAT A …",
    takes: [1, 50],
    is: "FORMAT with the values for `%s` `%v` `%q` `%d` `%x` `%X` `%f` `%t`, with width and precision.",
    compute: (values, work) => formatText(textAt("printf", values, 0), values.slice(1), work),
  },
  {
    name: "print",
    values: "A …",
    takes: [0, 50],
    is: "The values as they are written within a text, with a space between two of which none is a text.",
    compute: printed,
  },
];

function ofOne(
  name: string,
  is: string,
  change: (text: string, work: RenderWork) => string,
): TemplateFunction {
  const compute = (values: readonly Json[], work: RenderWork) =>
    change(textAt(name, values, 0), work);
  return { name, values: "TEXT", takes: [1, 1], is, compute };
}

function ofTwo(
  name: string,
  values: string,
  is: string,
  change: (first: string, text: string, work: RenderWork) => string | boolean,
): TemplateFunction {
  const compute = (given: readonly Json[], work: RenderWork) =>
    change(textAt(name, given, 0), textAt(name, given, 1), work);
  return { name, values, takes: [2, 2], is, compute };
}

function indented(name: string, is: string, before: string): TemplateFunction {
  return {
    name,
    values: "SPACES TEXT",
    takes: [2, 2],
    is,
    compute: (values, work) => {
      const spaces = wholeAt(name, values, 0);
      if (spaces < 0) throw new RenderError(`${name} takes no negative number`);
      return before + indentText(textAt(name, values, 1), spaces, work);
    },
  };
}

function quoted(name: string, is: string, quote: (text: string) => string): TemplateFunction {
  return {
    name,
    values: "A …",
    takes: [1, 50],
    is,
    compute(values, work) {
      let letters = 0;
      const quotedOnce = (value: Json): string => {
        const text = spentText(value, work);
        work.spendLetters(text);
        const made = quote(text);
        letters += made.length + 1;
        work.spendText(letters);
        return made;
      };
      return values
        .filter((value) => value !== null)
        .map(quotedOnce)
        .join(" ");
    },
  };
}

/** Go's slices of texts end with a panic where these are refused. */
function bytesBetween(text: string, values: readonly Json[]): string {
  const [from, to] = [wholeAt("substr", values, 0), wholeAt("substr", values, 1)];
  const length = Buffer.byteLength(text);
  const isToEnd = from >= 0 && (to < 0 || to > length);
  const [begin, end] = [Math.max(from, 0), isToEnd ? length : to];
  if (end < 0 || end > length || begin > end)
    throw new RenderError("substr takes no FROM behind TO or behind the end of TEXT");
  return cutBetween(text, begin, end);
}

function printed(values: readonly Json[], work: RenderWork): string {
  const parts: string[] = [];
  let letters = 0;
  for (const [at, value] of values.entries()) {
    const before = values[at - 1];
    const isApart = at > 0 && typeof value !== "string" && typeof before !== "string";
    const part = `${isApart ? " " : ""}${spentText(value, work)}`;
    letters += part.length;
    if (letters > work.budget.outputBytes) work.spendText(letters);
    parts.push(part);
  }
  return parts.join("");
}

function joinTexts(separator: string, value: Json, work: RenderWork): string {
  const values = isList(value) ? value : [value];
  const texts = values.filter((one) => one !== null).map((one) => spentText(one, work));
  const letters = texts.reduce((sum, one) => sum + one.length, 0);
  work.spendText(letters + separator.length * texts.length);
  return texts.join(separator);
}

/** The text of a value, counted before it is made. */
function spentText(value: Json, work: RenderWork): string {
  if (isList(value) || isMap(value)) work.spendValue(value);
  return textOf(value);
}

import {
  isList,
  isMap,
  isNumber,
  type Json,
  jsonOf,
} from "../../shared/app-config/templates/json-value.ts";
import { escapeHcl } from "./escape-hcl.ts";
import { type HclToken, hclTokens } from "./hcl-tokens.ts";
import { type Marks, MisplacedValue } from "./marks.ts";
import { valueIn } from "./value-in.ts";

/**
 * HCL of a file of variables with values in the place of their marks: each stays one literal, or within its quotes, and is no
 * template of terraform. A heredoc becomes a text in quotes; lines keep their numbers. Throws MisplacedValue.
 */
export function putIntoHcl(text: string, marks: Marks): string {
  if (!marks.isIn(text)) return text;
  let line = 1;
  const made: string[] = [];
  for (const token of hclTokens(text)) {
    const after = text.slice(token.at + token.text.length);
    made.push(putOf(token, { line, after }, marks));
    line += token.text.split("\n").length - 1;
  }
  return made.join("");
}

type At = { readonly line: number; readonly after: string };

function putOf({ kind, text, lines, isFlush = false }: HclToken, at: At, marks: Marks): string {
  const isText = kind === "quoted" || kind === "heredoc";
  const inner = isText ? (lines ?? text).replaceAll(/(?<![$%])(?:\$\$|%%)\{/g, "") : "";
  // Where quotes are within a template of terraform, where it ends cannot be told.
  if (/[$%]\{/.test(inner))
    throw new MisplacedValue(
      at.line,
      "a file with templates has an interpolation of terraform's own",
    );
  if (!marks.isIn(text)) return text;
  if (kind === "comment") return marks.words(text);
  if (kind === "quoted") return marks.inQuotes(text, at.line, escapeHcl);
  if (lines !== undefined) return heredocOf(lines, isFlush, marks);
  if (kind === "word") return wordOf(text, at, marks);
  return text;
}

/** Its lines count as they are without what is put into them. */
function heredocOf(lines: string, isFlush: boolean, marks: Marks): string {
  const all = lines.split("\n");
  const filled = all.filter((one) => one.trim() !== "");
  const spaces = filled.map((one) => /^ */.exec(one)?.[0].length ?? 0);
  const deep = isFlush ? spaces.reduce((least, one) => Math.min(least, one), Infinity) : 0;
  const text = all.map((one) => one.slice(deep)).join("\n");
  const inner = marks
    .piecesOf(text)
    .map((piece) =>
      piece.output === undefined ? JSON.stringify(piece.text).slice(1, -1) : escapeHcl(piece.text),
    )
    .join("");
  return `"${inner}"${"\n".repeat(all.length)}`;
}

const asName = /^[A-Za-z_][\w-]*$/;

function wordOf(word: string, { line, after }: At, marks: Marks): string {
  const only = marks.only(word);
  const isKey = /^[ \t]*(?:=(?!=)|:)/.test(after);
  if (only !== undefined) {
    const isName = isKey && asName.test(only.text);
    return isName ? only.text : literalOf(valueIn(only), line);
  }
  const whole = marks.plain(word);
  if (isKey ? asName.test(whole) : /^-?\d+(?:\.\d+)?$/.test(whole)) return whole;
  const words = "a template stands beside other letters and outside of quotes, and gives no number";
  throw new MisplacedValue(line, words);
}

function literalOf(value: Json, line: number): string {
  if (typeof value === "string") return `"${escapeHcl(value)}"`;
  if (isList(value)) return `[${value.map((one) => literalOf(one, line)).join(", ")}]`;
  if (isMap(value)) {
    const members = Object.entries(value).map(
      ([key, one]) => `"${escapeHcl(key)}" = ${literalOf(one, line)}`,
    );
    return `{ ${members.join(", ")} }`;
  }
  const json = jsonOf(value);
  if (isNumber(value) && json === "null")
    throw new MisplacedValue(line, "a template gives a number that is too large");
  return json;
}

import { isList, isMap, type Json, jsonOf } from "../../shared/app-config/templates/json-value.ts";
import { parseExactly } from "../../shared/parse-exactly.ts";
import { jsonOfOutput, type Marks, MisplacedValue } from "./marks.ts";

/** What a file of variables is made of; what is in quotes ends at its line. */
const tokens =
  /(?<comment>#[^\n]*|\/\/[^\n]*|\/\*[^]*?(?:\*\/|(?![^])))|(?<quoted>"(?:\\.|[^"\\\n])*"?)|<<(?<flush>-?)(?<end>[A-Za-z_][\w-]*)[ \t]*\r?\n(?<lines>[^]*?)^[ \t]*\k<end>[ \t]*$|(?<word>[\w.+-]+)|[^]/gm;

/**
 * HCL of a file of variables with values in the place of their marks: each stays one literal, or within its quotes, and is no
 * template of terraform. A heredoc becomes a text in quotes; lines keep their numbers. Throws MisplacedValue.
 */
export function putIntoHcl(text: string, marks: Marks): string {
  if (!marks.isIn(text)) return text;
  let line = 1;
  return text.replaceAll(tokens, (...found) => {
    const token = found[0];
    const groups = found.at(-1) as Groups; // the pattern has named ones
    const at = { line, after: text.slice(Number(found.at(-3)) + token.length) };
    line += token.split("\n").length - 1;
    return putOf({ token, ...groups }, at, marks);
  });
}

type Groups = Readonly<
  Partial<Record<"comment" | "quoted" | "flush" | "end" | "lines" | "word", string>>
>;
type At = { readonly line: number; readonly after: string };

function putOf(found: Groups & { readonly token: string }, at: At, marks: Marks): string {
  const { token, comment, quoted, lines, word } = found;
  const inner = (lines ?? quoted ?? "").replaceAll(/(?<![$%])(?:\$\$|%%)\{/g, "");
  // Where quotes are within a template of terraform, where it ends cannot be told.
  if (/[$%]\{/.test(inner))
    throw new MisplacedValue(
      at.line,
      "a file with templates has an interpolation of terraform's own",
    );
  if (!marks.isIn(token)) return token;
  if (comment !== undefined) return marks.words(token);
  if (quoted !== undefined) return insideOf(token, marks);
  if (lines !== undefined) return heredocOf(lines, found.flush === "-", marks);
  if (word !== undefined) return wordOf(token, at, marks);
  return token;
}

const insideOf = (text: string, marks: Marks): string =>
  marks
    .piecesOf(text)
    .map((piece) => (piece.output === undefined ? piece.text : escaped(piece.text)))
    .join("");

/** Its lines count as they are without what is put into them. */
function heredocOf(lines: string, isFlush: boolean, marks: Marks): string {
  const all = lines.split("\n");
  const filled = all.filter((one) => one.trim() !== "");
  const deep = isFlush ? Math.min(...filled.map((one) => /^ */.exec(one)?.[0].length ?? 0)) : 0;
  const text = all.map((one) => one.slice(deep)).join("\n");
  const inner = marks
    .piecesOf(text)
    .map((piece) =>
      piece.output === undefined ? JSON.stringify(piece.text).slice(1, -1) : escaped(piece.text),
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
    return isName ? only.text : literalOf(parseExactly(jsonOfOutput(only)) as Json);
  }
  const whole = marks.plain(word);
  if (isKey ? asName.test(whole) : /^-?\d+(?:\.\d+)?$/.test(whole)) return whole;
  const words = "a template stands beside other letters and outside of quotes, and gives no number";
  throw new MisplacedValue(line, words);
}

function literalOf(value: Json): string {
  if (typeof value === "string") return `"${escaped(value)}"`;
  if (isList(value)) return `[${value.map(literalOf).join(", ")}]`;
  if (!isMap(value)) return jsonOf(value);
  const members = Object.entries(value).map(
    ([key, one]) => `"${escaped(key)}" = ${literalOf(one)}`,
  );
  return `{ ${members.join(", ")} }`;
}

/** Nothing of it begins a template of terraform, also with what is before or after it. */
const escaped = (text: string): string =>
  JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/\\[bf]|[${%\u007F-\u009F]/g, (found) => {
      const letter = found === "\\b" ? "\b" : found === "\\f" ? "\f" : found;
      return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
    });

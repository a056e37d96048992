import { jsonOf } from "../../shared/app-config/templates/json-value.ts";
import { type Marks, MisplacedValue } from "./marks.ts";
import { valueIn } from "./value-in.ts";

/** JSON with values in the place of their marks, each within its text or number. Throws MisplacedValue. */
export function putIntoJson(text: string, marks: Marks): string {
  if (!marks.isIn(text)) return text;
  let line = 1;
  const tokens = /"[^"\\]*(?:\\[^][^"\\]*)*"?|[\w.+-]+|[^"\w.+-]+/g;
  const made = text.replaceAll(tokens, (token) => {
    const put = marks.isIn(token) ? tokenOf(token, marks, line) : token;
    line += token.split("\n").length - 1;
    return put;
  });
  checkJson(made);
  return made;
}

function tokenOf(token: string, marks: Marks, line: number): string {
  if (token.startsWith('"'))
    return marks.inQuotes(token, line, (text) => JSON.stringify(text).slice(1, -1));
  const only = marks.only(token);
  if (only !== undefined) return jsonOf(valueIn(only));
  const words = "a template stands beside other letters and outside of quotes";
  throw new MisplacedValue(line, words);
}

/** The parser's words quote the text, which may be secret. */
function checkJson(text: string): void {
  try {
    JSON.parse(text);
  } catch (error) {
    const line = /\(line (\d+) column \d+\)$/.exec(String(error))?.[1] ?? 1;
    throw new MisplacedValue(Number(line), "with its templates it is not JSON");
  }
}

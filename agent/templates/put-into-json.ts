import { jsonOfOutput, type Marks, MisplacedValue } from "./marks.ts";

/** JSON with values in the place of their marks, each within its text or number. Throws MisplacedValue. */
export function putIntoJson(text: string, marks: Marks): string {
  let line = 1;
  return text.replaceAll(/"(?:\\[^]|[^"\\])*"?|[\w.+-]+|[^]/g, (token) => {
    const put = marks.isIn(token) ? tokenOf(token, marks, line) : token;
    line += token.split("\n").length - 1;
    return put;
  });
}

function tokenOf(token: string, marks: Marks, line: number): string {
  if (token.startsWith('"'))
    return marks
      .piecesOf(token)
      .map(({ text, output }) => (output === undefined ? text : JSON.stringify(text).slice(1, -1)))
      .join("");
  const only = marks.only(token);
  if (only !== undefined) return jsonOfOutput(only);
  const words = "a template stands beside other letters and outside of quotes";
  throw new MisplacedValue(line, words);
}

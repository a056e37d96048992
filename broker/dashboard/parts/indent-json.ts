/** The pieces of a JSON text: strings, punctuation, and all else. */
const pieces = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * A JSON text with a line for each member, up to so many characters. Its numbers keep all their digits; what is no JSON
 * is shown all the same.
 */
export function indentJson(text: string, most: number): { shown: string; isCut: boolean } {
  let depth = 0;
  let shown = "";
  let last = "";
  const newLine = (): string => `\n${"  ".repeat(Math.min(depth, 50))}`;
  // Besides white space every character is shown: what is shown is full before more than that is read.
  for (const [piece] of text.slice(0, most).matchAll(pieces)) {
    const isEnd = piece === "}" || piece === "]";
    const wasBegin = last === "{" || last === "[";
    if (isEnd) depth = Math.max(0, depth - 1);
    if (wasBegin ? !isEnd : isEnd || last === ",") shown += newLine();
    shown += piece === ":" ? ": " : piece;
    if (piece === "{" || piece === "[") depth += 1;
    last = piece;
    if (shown.length > most) break;
  }
  return { shown: shown.slice(0, most), isCut: text.length > most || shown.length > most };
}

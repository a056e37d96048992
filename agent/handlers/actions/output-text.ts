/** An invalid outputs file; the message names the line. */
export class OutputFault extends Error {
  override readonly name = "OutputFault";
}

export type GivenOutput = { readonly name: string; readonly value: unknown };

/**
 * Parses the outputs file of a step: `name=value`, `name<<END` with lines up to END, or one JSON object. Throws
 * OutputFault with the line.
 */
export function parseOutputText(text: string): GivenOutput[] {
  if (text.trimStart().startsWith("{")) return parseObject(text);
  const lines = text.split(/\r?\n/);
  const outputs: GivenOutput[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (line.trim() === "") continue;
    const { name, sign, rest } = splitLine(line);
    if (name === "") {
      throw new OutputFault(`line ${at + 1} must be name=value or name<<END`);
    }
    if (sign === "=") {
      outputs.push({ name, value: rest });
      continue;
    }
    const end = lines.indexOf(rest.trim(), at + 1);
    if (rest.trim() === "")
      throw new OutputFault(`line ${at + 1}: the delimiter after ${name}<< is missing`);
    if (end < 0) {
      throw new OutputFault(
        `line ${at + 1}: the end of ${name}, a line ${rest.trim()}, is missing`,
      );
    }
    outputs.push({ name, value: lines.slice(at + 1, end).join("\n") });
    at = end;
  }
  return outputs;
}

/** The name before the first sign, without whitespace before the sign; empty if there is no sign. */
function splitLine(line: string): { name: string; sign: "=" | "<<"; rest: string } {
  const at = line.search(/[=<]/);
  const sign = line[at] === "=" ? "=" : "<<";
  const isThere = at > 0 && line.startsWith(sign, at);
  const name = isThere ? line.slice(0, at).trimEnd() : "";
  return { name, sign, rest: line.slice(at + sign.length) };
}

function parseObject(text: string): GivenOutput[] {
  try {
    const read = JSON.parse(text) as Record<string, unknown>; // it starts with a brace
    return Object.entries(read).map(([name, value]) => ({ name, value }));
  } catch {
    const before = text.slice(0, goodLength(text)).split("\n");
    const column = (before.at(-1)?.length ?? 0) + 1;
    throw new OutputFault(`it is not a JSON object: line ${before.length}, column ${column}`);
  }
}

/**
 * The position of the syntax error. V8 names it only sometimes, and otherwise quotes the text, which may contain
 * secrets.
 */
function goodLength(text: string): number {
  let [good, bad] = [0, text.length + 1];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (mayGoOn(text.slice(0, middle))) good = middle;
    else bad = middle;
  }
  return good;
}

function mayGoOn(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const { message } = error as Error;
    return (
      /Unexpected end|Unterminated/.test(message) || message.includes(`position ${text.length} `)
    );
  }
}

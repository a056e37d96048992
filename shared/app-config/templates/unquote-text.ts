const escape = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.))/gs;
const letters: Readonly<Record<string, string | undefined>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  '"': '"',
};

/** What a text between quotes says, by Go's escapes; undefined where one is none, or half of a letter. */
export function unquoteText(quoted: string): string | undefined {
  let isGood = true;
  const text = quoted.replaceAll(escape, (...groups: (string | undefined)[]) => {
    const [, byte, short, long, octal, letter] = groups;
    const hex = byte ?? short ?? long;
    const code = hex === undefined ? Number.parseInt(octal ?? "", 8) : Number.parseInt(hex, 16);
    const said =
      letter === undefined
        ? letterOf(code, short === undefined && long === undefined)
        : letters[letter];
    isGood &&= said !== undefined;
    return said ?? "";
  });
  return isGood ? text : undefined;
}

/** Bytes beyond ASCII are parts of letters only, and texts are not made of such parts. */
function letterOf(code: number, isByte: boolean): string | undefined {
  const isHalf = code >= 0xd800 && code <= 0xdfff;
  if (isHalf || code > (isByte ? 0x7f : 0x10ffff)) return undefined;
  return String.fromCodePoint(code);
}

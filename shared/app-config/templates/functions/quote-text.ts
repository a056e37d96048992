const letters: Readonly<Record<string, string | undefined>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

/** A text in double quotes as Go writes it: what does not print is escaped. */
export function quoteText(text: string): string {
  const escaped = text.replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]|["\\]/gu, escapeOf);
  return `"${escaped}"`;
}

function escapeOf(letter: string): string {
  const known = letters[letter];
  if (known !== undefined) return known;
  const code = letter.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x80) return `\\x${hex.padStart(2, "0")}`;
  return code > 0xffff ? `\\U${hex.padStart(8, "0")}` : `\\u${hex.padStart(4, "0")}`;
}

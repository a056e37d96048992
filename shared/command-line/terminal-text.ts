/** A text whose control characters, but line ends, are spaces: it cannot steer the terminal of who reads it. */
export const harmless = (text: string): string => text.replaceAll(/[^\P{Cc}\n]/gu, " ");

/** Below this width a column is not read but spelt. */
const narrowest = 30;

/** Breaks a paragraph at spaces into lines of at most this many characters; a longer word stays whole. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line === "" || longer.length <= width) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

/** Two columns, indented; where the terminal is too narrow for the second beside the first, it goes below. */
export function columns(rows: readonly (readonly [string, string])[], width: number): string {
  const left = Math.max(0, ...rows.map(([name]) => name.length));
  const isBeside = left + 4 + narrowest <= width;
  const indent = isBeside ? left + 4 : 6;
  return rows
    .map(([name, text]) => {
      const below = wrap(text, Math.max(narrowest, width - indent)).join(`\n${" ".repeat(indent)}`);
      return `  ${isBeside ? `${name.padEnd(left)}  ` : `${name}\n${" ".repeat(indent)}`}${below}`;
    })
    .join("\n");
}

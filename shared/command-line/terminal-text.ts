/** A text whose control characters, but line ends, are spaces: it cannot steer the terminal of who reads it. */
export const harmless = (text: string): string => text.replaceAll(/[^\P{Cc}\n]/gu, " ");

/** Below this width a column is not read but spelt. */
const narrowest = 30;

const twoPlaces =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
const noPlace = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** How many places of a line a text takes: an ideogram or an emoji two, an accent of its own none. */
export function textWidth(text: string): number {
  if (!/[^ -~]/.test(text)) return text.length;
  let width = 0;
  for (const character of text) {
    if (twoPlaces.test(character)) width += 2;
    else if (!noPlace.test(character)) width += 1;
  }
  return width;
}

/** The text with spaces after it, until it is this wide. */
export function padTo(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - textWidth(text)));
}

/** Breaks a text at spaces into lines of at most this width; a longer word stays whole. Its own lines stay lines. */
export function wrap(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => fill(line.split(" "), width, ""));
}

/**
 * Breaks a command between its words into lines of at most this width, each but the last with what makes a shell go on;
 * what is quoted stays whole, and a flag's value beside it.
 */
export function wrapCommand(command: string, width: number, end = " \\"): string[] {
  return command.split("\n").flatMap((line) => {
    return textWidth(line) <= width ? [line] : fill(wordsOf(line), width, end);
  });
}

/** Two columns, indented; a row goes below its name where there is no room beside it. */
export function columns(rows: readonly (readonly [string, string])[], width: number): string {
  const left = Math.max(0, ...rows.map(([name]) => textWidth(name)));
  const indent = left + 4;
  return rows
    .map(([name, text]) => {
      const longestWord = Math.max(...text.split(/[ \n]/).map(textWidth));
      const isBeside = indent + Math.max(narrowest, longestWord) <= width;
      const margin = " ".repeat(isBeside ? indent : 6);
      const lines = wrap(text, Math.max(narrowest, width - margin.length));
      const head = isBeside ? `${padTo(name, left)}  ` : `${name}\n${margin}`;
      return `  ${head}${lines.join(`\n${margin}`)}`;
    })
    .join("\n");
}

/** Lines of as many words as there is room for; `end` ends each line that another follows. */
function fill(words: readonly string[], width: number, end: string): string[] {
  const lines: string[] = [];
  const [first = "", ...others] = words;
  let line = first;
  for (const [at, word] of others.entries()) {
    const longer = `${line} ${word}`;
    const room = width - (at === others.length - 1 ? 0 : end.length);
    if (textWidth(longer) <= room) line = longer;
    else {
      lines.push(line + end);
      line = word;
    }
  }
  return [...lines, line];
}

/** Words as a shell parts them: no space inside of quotes or of a substitution parts two. */
function wordsOf(command: string): string[] {
  const word = String.raw`(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|\$\([^()]*\)|[^\s'"\\])+`;
  return command.match(new RegExp(`--[\\w-]+ (?!-)${word}|${word}`, "g")) ?? [command];
}

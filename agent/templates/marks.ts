import { randomBytes } from "node:crypto";
import type { Output } from "../../shared/app-config/templates/rendering.ts";

/** A text that somebody wrote, or what stands in the place of a mark in it. */
type Piece = { readonly text: string; readonly output?: Output };

/**
 * Words that stand for what actions give while it is found out where in a file they are: so no value can change what is around
 * it. Which words these are no value knows.
 */
export class Marks {
  readonly #pattern: RegExp;
  readonly #key = randomBytes(8).toString("hex");
  readonly #outputs: Output[] = [];

  constructor() {
    this.#pattern = new RegExp(`m${this.#key}n(\\d+)e`, "g");
  }

  /** The word for it. What `indent` and `nindent` have put around it stays around the word. */
  mark(output: Output): string {
    const { text, isLaidOut } = output;
    const [before = "", after = ""] = isLaidOut
      ? [/^\s*/.exec(text)?.[0], /\s*$/.exec(text.trimStart())?.[0]]
      : [];
    const core = text.slice(before.length, text.length - after.length);
    this.#outputs.push({ ...output, text: core });
    return `${before}m${this.#key}n${this.#outputs.length - 1}e${after}`;
  }

  isIn(text: string): boolean {
    return text.search(this.#pattern) >= 0;
  }

  /** The text, and what its marks stand for, in order. */
  piecesOf(text: string): Piece[] {
    const pieces: Piece[] = [];
    let at = 0;
    for (const found of text.matchAll(this.#pattern)) {
      const output = this.#outputs[Number(found[1])];
      if (output === undefined) continue;
      pieces.push({ text: text.slice(at, found.index) }, { text: output.text, output });
      at = found.index + found[0].length;
    }
    return [...pieces, { text: text.slice(at) }].filter(
      ({ text: one, output }) => one !== "" || output !== undefined,
    );
  }

  /** What the text is where it is nothing but one mark. */
  only(text: string): Output | undefined {
    const [piece, ...others] = this.piecesOf(text);
    return others.length === 0 ? piece?.output : undefined;
  }

  /** A text in quotes with each mark as this writes what it stands for: a backslash before it would be one with it. Throws MisplacedValue. */
  inQuotes(quoted: string, line: number, write: (text: string) => string): string {
    const made = this.piecesOf(quoted).map(({ text, output }, at, all) => {
      if (output !== undefined) return write(text);
      const isBefore = all[at + 1] !== undefined;
      if (isBefore && (/\\*$/.exec(text)?.[0].length ?? 0) % 2 === 1)
        throw new MisplacedValue(line, "a template stands after a backslash");
      return text;
    });
    return made.join("");
  }

  /** The text with each mark as what it stands for. */
  plain(text: string): string {
    return this.piecesOf(text)
      .map((piece) => piece.text)
      .join("");
  }

  /** Where only a word can stand: all else of it is left out. */
  words(text: string): string {
    return this.piecesOf(text)
      .map((piece) =>
        piece.output === undefined ? piece.text : piece.text.replace(/[^\w.-]+/g, "_"),
      )
      .join("");
  }
}

/** It stands where its value cannot be written as such; the message quotes none. */
export class MisplacedValue extends Error {
  readonly line: number;

  constructor(line: number, words: string) {
    super(words);
    this.line = line;
  }
}

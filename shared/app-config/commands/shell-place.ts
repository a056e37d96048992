/** Where in a script of a shell a place is: what a value that is put there can do depends on it. */
export type ShellPlace =
  | "plain"
  | "in single quotes"
  | "in double quotes"
  | "in backquotes"
  | "in a comment"
  | "in a here-document";

type Frame = "paren" | "brace" | "single" | "ansi" | "double" | "backquote";
type HereDocument = { readonly end: string; readonly isIndented: boolean };

/** What means the same wherever it stands. */
const dull = /[^'"\\`$()}#<\n]+/y;
const hereDocument = /<<(-?)[ \t]*(?:'([^'\n]+)'|"([^"\n]+)"|\\?([A-Za-z_][A-Za-z0-9_.-]*))/y;

/** Of what is in one another, and of documents of one line: nobody writes more. */
const mostOpen = 64;

/** Follows the quotes of a shell's script, piece by piece, as far as it shows without running it. */
export class ShellScript {
  readonly #frames: Frame[] = [];
  /** Whose lines come after the one that is read. */
  #announced: HereDocument[] = [];
  #open: HereDocument[] = [];
  #line = "";
  #isComment = false;
  #isEscaped = false;
  /** More is open than is followed: all that comes after it is taken for plain. */
  #isLost = false;
  #before = "\n";

  /** Where what comes next stands. */
  get place(): ShellPlace {
    if (this.#isLost) return "plain";
    if (this.#open.length > 0) return "in a here-document";
    if (this.#isComment) return "in a comment";
    if (this.#frames.includes("backquote")) return "in backquotes";
    const frame = this.#frames.at(-1);
    if (frame === "single" || frame === "ansi") return "in single quotes";
    const quote = this.#frames.findLast((one) => one !== "brace");
    return quote === "double" ? "in double quotes" : "plain";
  }

  /** Goes on by a piece of the script that stands in it as it is. */
  read(text: string): void {
    for (let at = 0; at < text.length && !this.#isLost;) {
      if (this.#open.length > 0) at = this.#readHereDocument(text, at);
      else if (this.#isComment) at = this.#readComment(text, at);
      else at = this.#readPiece(text, at);
    }
  }

  /** A value stands here: it is a part of a word. */
  passValue(): void {
    this.#before = "x";
    this.#line += "\0";
    this.#isEscaped = false;
  }

  /** The same place, to go on from twice. */
  copy(): ShellScript {
    const other = new ShellScript();
    other.#frames.push(...this.#frames);
    other.#announced = [...this.#announced];
    other.#open = [...this.#open];
    other.#line = this.#line;
    other.#isComment = this.#isComment;
    other.#isLost = this.#isLost;
    other.#isEscaped = this.#isEscaped;
    other.#before = this.#before;
    return other;
  }

  #readHereDocument(text: string, at: number): number {
    const end = text.indexOf("\n", at);
    this.#line += text.slice(at, end === -1 ? text.length : end);
    if (end === -1) return text.length;
    const [first] = this.#open;
    const line = first?.isIndented === true ? this.#line.replace(/^\t+/, "") : this.#line;
    if (line === first?.end) this.#open.shift();
    this.#line = "";
    this.#before = "\n";
    return end + 1;
  }

  #readComment(text: string, at: number): number {
    const end = text.indexOf("\n", at);
    if (end === -1) return text.length;
    this.#isComment = false;
    return end;
  }

  #readPiece(text: string, at: number): number {
    const [top] = this.#frames.slice(-1);
    if (top === "single") return this.#readSingle(text, at);
    const letter = text.charAt(at);
    if (this.#isEscaped || letter === "\\") {
      this.#isEscaped = !this.#isEscaped;
      this.#before = "x";
      return at + 1;
    }
    dull.lastIndex = at;
    const passed = dull.exec(text)?.[0].length ?? 0;
    if (passed > 0) {
      this.#before = text.charAt(at + passed - 1);
      return at + passed;
    }
    const next = top === "ansi" ? this.#readAnsi(letter, at) : this.#readSign(text, at, letter);
    this.#before = text.charAt(next - 1);
    return next;
  }

  #readSingle(text: string, at: number): number {
    const end = text.indexOf("'", at);
    if (end === -1) return text.length;
    this.#frames.pop();
    this.#before = "'";
    return end + 1;
  }

  #readAnsi(letter: string, at: number): number {
    if (letter === "'") this.#frames.pop();
    return at + 1;
  }

  #readSign(text: string, at: number, letter: string): number {
    const top = this.#frames.at(-1);
    const isDouble = this.#frames.findLast((one) => one !== "brace") === "double";
    if (letter === "$" && "({".includes(text.charAt(at + 1) || "-")) {
      this.#enter(text.charAt(at + 1) === "(" ? "paren" : "brace");
      return at + 2;
    }
    if (letter === '"') this.#turn("double", top);
    else if (letter === "`") this.#turn("backquote", top);
    else if (letter === "}" && top === "brace") this.#frames.pop();
    else if (!isDouble) return this.#readPlain(text, at, letter);
    return at + 1;
  }

  /** What means something outside of quotes alone. */
  #readPlain(text: string, at: number, letter: string): number {
    if (letter === "'") this.#enter(this.#before === "$" ? "ansi" : "single");
    else if (letter === "(") this.#enter("paren");
    else if (letter === ")" && this.#frames.at(-1) === "paren") this.#frames.pop();
    else if (letter === "#") this.#isComment = /[\s;|&(]/.test(this.#before);
    else if (letter === "<") return this.#readRedirection(text, at);
    else if (letter === "\n") this.#openDocuments();
    return at + 1;
  }

  #openDocuments(): void {
    [this.#open, this.#announced] = [this.#announced, []];
    this.#line = "";
  }

  #readRedirection(text: string, at: number): number {
    hereDocument.lastIndex = at;
    const isArithmetic = this.#frames.slice(-2).join(" ") === "paren paren";
    const found = isArithmetic ? null : hereDocument.exec(text);
    if (found === null) return at + (text.startsWith("<<<", at) ? 3 : 1);
    const [whole, dash, single, double, bare] = found;
    const end = single ?? double ?? bare ?? "";
    this.#announced.push({ end, isIndented: dash === "-" });
    this.#isLost = this.#announced.length > mostOpen;
    return at + whole.length;
  }

  #enter(frame: Frame): void {
    this.#frames.push(frame);
    this.#isLost = this.#frames.length > mostOpen;
  }

  #turn(frame: Frame, top: Frame | undefined): void {
    if (top === frame) this.#frames.pop();
    else this.#enter(frame);
  }
}

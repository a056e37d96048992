import { type Json, isList, isMap } from "./json-value.ts";

/** Why a template cannot be rendered, in words that show no value. */
export class RenderError extends Error {
  override readonly name = "RenderError";
  /** Where in the text, once it is known. */
  at: number | undefined;

  constructor(detail: string, at?: number) {
    super(detail);
    this.at = at;
  }
}

/** The work of a rendering is over its bounds: nothing of it goes on. */
export class TooMuchWork extends RenderError {}

/** What failed before is told already; what needs it is left out. */
export class FollowsFault extends RenderError {
  constructor() {
    super("what it reads is not rendered");
  }
}

/** What renderings may take together: all that are made for one request, or one step. */
export type RenderBudget = {
  readonly outputBytes: number;
  /** Expressions, turns of loops, values looked at, and texts by their length. */
  readonly steps: number;
};

/** Bounds of what is rendered together. A million steps are about half a second. */
export const renderLimits = {
  outputBytes: 16 * 2 ** 20,
  steps: 1_000_000,
  /** Of lists and maps in one another. */
  depth: 64,
} as const;

/** What is rendered at once, while everybody waits: a few milliseconds. */
export const quickBudget: RenderBudget = { outputBytes: 256 * 1024, steps: 5_000 };

const lettersOfStep = 64;

/** How much has been done, of what may be done. */
export class RenderWork {
  readonly budget: RenderBudget;
  #steps = 0;
  #bytes = 0;
  #isSpent = false;

  constructor(budget: RenderBudget = renderLimits) {
    this.budget = budget;
  }

  /** Whether more was asked for than the budget has: what is rendered then is not whole. */
  get isSpent(): boolean {
    return this.#isSpent;
  }

  get steps(): number {
    return this.#steps;
  }

  /** Counts steps before they are done. Throws TooMuchWork. */
  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps <= this.budget.steps) return;
    this.#isSpent = true;
    throw new TooMuchWork(`it takes more than ${this.budget.steps} steps`);
  }

  /** Counts a text of this length before it is made or gone through. Throws RenderError. */
  spendText(letters: number): void {
    if (letters > this.budget.outputBytes) {
      this.#isSpent = true;
      throw new RenderError(`a text of it would be longer than ${this.budget.outputBytes} bytes`);
    }
    this.spend(Math.ceil(letters / lettersOfStep));
  }

  /** Counts a text that is gone through letter by letter. Throws TooMuchWork. */
  spendLetters(text: string): void {
    this.spend(Math.ceil(text.length / 8));
  }

  /** Counts letters through which something is looked for. Throws TooMuchWork. */
  spendLook(letters: number): void {
    this.spend(Math.ceil(letters / lettersOfStep));
  }

  /** Counts all that is in a value. Throws RenderError. */
  spendValue(value: Json, depth = 0): void {
    if (typeof value === "string") this.spendText(value.length);
    this.spend(1);
    if (typeof value === "number" && !Number.isFinite(value))
      throw new RenderError("a number of it is too large");
    if (depth > renderLimits.depth)
      throw new RenderError(`a value of it has more than ${renderLimits.depth} levels`);
    if (isList(value)) for (const one of value) this.spendValue(one, depth + 1);
    else if (isMap(value))
      for (const [key, one] of Object.entries(value)) {
        this.spendText(key.length);
        this.spendValue(one, depth + 1);
      }
  }

  /** Counts a text that is written. Throws TooMuchWork. */
  write(text: string): void {
    this.spendText(text.length);
    this.#bytes += Buffer.byteLength(text);
    if (this.#bytes <= this.budget.outputBytes) return;
    this.#isSpent = true;
    throw new TooMuchWork(`it writes more than ${this.budget.outputBytes} bytes`);
  }
}

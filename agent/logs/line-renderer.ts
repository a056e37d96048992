export type LogSeverity = "debug" | "info" | "warn" | "error";

/** A line as it is written in place of one that was printed. */
export type RenderedLine = {
  readonly text: string;
  readonly severity?: LogSeverity;
};

/** Reads what a program prints for other programs, and returns what people are to read of it. */
export type LineRenderer = {
  /** Every line in order, without its secrets; a longer one than a record holds is left out. */
  readonly line: (text: string) => readonly RenderedLine[];
  /** Called in place of `line` for one that is too long. */
  readonly tooLong: () => readonly RenderedLine[];
  /**
   * What it has to know to go on after a restart of the agent, small: written to disk together with the lines that it came
   * of, so that neither is ever without the other.
   */
  readonly kept: () => string;
};

/** Makes a renderer anew, or as it was when it answered that from `kept`. */
export type MakeRenderer = (kept: string | undefined) => LineRenderer;

export type LogSeverity = "debug" | "info" | "warn" | "error";

/** A line that replaces a printed one. */
export type RenderedLine = {
  readonly text: string;
  readonly severity?: LogSeverity;
};

/** Converts machine-readable output to lines for people. */
export type LineRenderer = {
  /** Gets each line in order, redacted; lines longer than a record are left out. */
  readonly line: (text: string) => readonly RenderedLine[];
  /** Called in place of `line` for one that is too long. */
  readonly tooLong: () => readonly RenderedLine[];
  /**
   * The small state that it needs to continue after a restart of the agent. It is written together with the lines that
   * it came from, so that neither exists without the other.
   */
  readonly kept: () => string;
};

/** Makes a renderer, or restores one from what `kept` returned. */
export type MakeRenderer = (kept: string | undefined) => LineRenderer;

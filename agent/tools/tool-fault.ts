/** Why a tool is not available, in one word for programs: `error_metadata.class` of the result. */
export type ToolClass =
  | "not_installed"
  | "network"
  | "not_found"
  | "digest"
  | "signature"
  | "too_large"
  | "stopped";

/** A tool is not available; the message says why. */
export class ToolFault extends Error {
  override readonly name = "ToolFault";
  readonly class: ToolClass;

  constructor(kind: ToolClass, words: string) {
    super(words);
    this.class = kind;
  }
}

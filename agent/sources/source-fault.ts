import type { SourceClass } from "./source-failure.ts";

/** A source cannot be had: its message says why, and no secret is in it. */
export class SourceFault extends Error {
  override readonly name = "SourceFault";
  readonly class: SourceClass;

  constructor(kind: SourceClass, words: string) {
    super(words);
    this.class = kind;
  }
}

/** A child that could not be started; the message is for people and holds no argument of it. */
export class ChildError extends Error {
  override readonly name = "ChildError";
  /** What a shell would have exited with: 127 for a program that is not there, 126 for one that may not be executed. */
  readonly code: number;

  constructor(words: string, code = 1) {
    super(words);
    this.code = code;
  }
}

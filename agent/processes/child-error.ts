/** A child that was told to begin, and whose folder went before it was seen to run: nobody knows what it did. */
export class ChildLost extends Error {
  override readonly name = "ChildLost";
}

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

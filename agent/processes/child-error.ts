/** A child that was told to begin and whose folder vanished before it was seen running: its fate is unknown. */
export class ChildLost extends Error {
  override readonly name = "ChildLost";
}

/** A child could not be started. The message is for people and contains none of its arguments. */
export class ChildError extends Error {
  override readonly name = "ChildError";
  /** The exit code of a shell: 127 for a missing program, 126 for one that cannot be executed. */
  readonly code: number;

  constructor(words: string, code = 1) {
    super(words);
    this.code = code;
  }
}

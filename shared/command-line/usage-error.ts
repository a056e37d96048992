/** The command line itself is wrong: the message says how, the hint what to type instead. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly hint: string;

  constructor(message: string, hint = "") {
    super(message);
    this.hint = hint;
  }
}

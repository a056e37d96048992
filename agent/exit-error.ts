import type { ExitName } from "./shutdown/exit-codes.ts";

/** The agent cannot start or go on, and its exit code says of which kind that is; the message is for the operator. */
export class ExitError extends Error {
  override readonly name = "ExitError";
  readonly exit: ExitName;

  constructor(exit: ExitName, message: string, cause?: unknown) {
    super(message, { cause });
    this.exit = exit;
  }
}

import type { ExitName } from "./shutdown/exit-codes.ts";

/** The agent cannot start or continue. `exit` selects the exit code; the message is for the operator. */
export class ExitError extends Error {
  override readonly name = "ExitError";
  readonly exit: ExitName;

  constructor(exit: ExitName, message: string, cause?: unknown) {
    super(message, { cause });
    this.exit = exit;
  }
}

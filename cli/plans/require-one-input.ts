import { UsageError } from "../../shared/command-line/usage-error.ts";

type Asking = {
  readonly isAsked: boolean;
  /** The command that plans, for who wants to be asked. */
  readonly by: string;
};

/** A UsageError where standard input is to be read twice: by two flags, or by one and for the answer. */
export function requireOneInput(
  inputs: readonly (string | undefined)[],
  { isAsked, by }: Asking,
): void {
  const readers = inputs.filter((input) => input === "-").length;
  if (readers > 1) throw new UsageError("Standard input (-) can be read once only.");
  if (readers === 0 || !isAsked) return;
  throw new UsageError(
    "Standard input is already used for input, so it cannot be used to confirm.",
    `Give --auto-approve, or look with ${by} first and apply its job.`,
  );
}

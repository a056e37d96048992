import { Problem, problem } from "../../shared/problem.ts";
import type { ChildAnswer } from "./child-words.ts";

const again = (detail: string): Problem => problem.unavailable(detail, 5);

/** Why work was refused, or given up, through no fault of who asked. */
export const workProblem = {
  tooMany: (): Problem =>
    problem.tooMany(
      "Work of this kind already runs and waits for this org. Try again when it has ended.",
      5,
      "busy",
    ),
  keptWaiting: (): Problem => again("Timed out behind the work of others. Try again later."),
  stopping: (): Problem => again("This broker is stopping. Try again: another one answers."),
  givenUp: (): Problem =>
    again("This took more time or memory than it may, and was given up. Try again later."),
  /** Nobody hears it. */
  left: (): Problem => again("The client has left."),
} as const;

/** The answer that a child made of its work instead of a result. */
export function refusalOf(
  { status, code, detail, headers, members }: NonNullable<ChildAnswer["refused"]>,
  errors: Uint8Array | undefined,
): Problem {
  const errorsText = errors === undefined ? undefined : Buffer.from(errors).toString("utf8");
  return new Problem({ status, code, detail, headers, members, errorsText });
}

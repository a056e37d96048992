import { Problem, problem } from "../../shared/problem.ts";
import type { ChildAnswer } from "./child-words.ts";

const again = (detail: string): Problem => problem.unavailable(detail, 5);

/** What was made for work that did not come to its turn, or to its end, because of others. */
const ofOthers = new WeakSet<Problem>();

/** The same, marked as made because of others. */
export function byOthers(made: Problem): Problem {
  ofOthers.add(made);
  return made;
}

/** Whether work was refused because of other work, or because this broker ends: it was not at fault, nor was the broker. */
export const isRefusedForOthers = (error: unknown): boolean =>
  error instanceof Problem && ofOthers.has(error);

const ofLeavers = new WeakSet<Problem>();

/** Whether work ended because nobody waits for it any more. */
export const isLeft = (error: Problem): boolean => ofLeavers.has(error);

function byLeaver(made: Problem): Problem {
  ofLeavers.add(made);
  return made;
}

/** How the error of work begins that came to more than may be told. */
export const tooMuchTold = "Too much to tell";

/** Why work was refused, or given up, through no fault of who asked. */
export const workProblem = {
  stopping: (): Problem =>
    byOthers(again("This broker is stopping. Try again: another one answers.")),
  givenUp: (): Problem =>
    again("This took more time or memory than it may, and was given up. Try again later."),
  /** Nobody hears it. */
  left: (): Problem => byLeaver(again("The client has left.")),
} as const;

/** The answer that a child made of its work instead of a result. */
export function refusalOf(
  { status, code, detail, headers, members }: NonNullable<ChildAnswer["refused"]>,
  errors: Uint8Array | undefined,
): Problem {
  const errorsText = errors === undefined ? undefined : Buffer.from(errors).toString("utf8");
  return new Problem({ status, code, detail, headers, members, errorsText });
}

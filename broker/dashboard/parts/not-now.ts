import { problem } from "../../../shared/problem.ts";

/** What cannot be done as things stand, and why. Only people read it: it has no code of its own. */
export function notNow(why: string): Error {
  return problem.conflict("invalid", why);
}

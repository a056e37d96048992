import type { AppContext } from "../app-types.ts";
import { namesProblem } from "../gate/names-problem.ts";
import { setHeader } from "./set-header.ts";

/**
 * What is answered where our own programs read another shape than other clients of the API do (`inTwoShapes` of shared/api/): who names
 * problem+json in Accept gets ours.
 */
export function answerShape<Ours>(
  c: AppContext,
  ours: Ours,
  toTheirs: (ours: Ours) => unknown,
): Ours {
  setHeader(c, "vary", "accept");
  return namesProblem(c) ? ours : (toTheirs(ours) as Ours); // the contract tells of both, and is typed as ours
}

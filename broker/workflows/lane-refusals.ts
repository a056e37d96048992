import { problem } from "../../shared/problem.ts";

/** The refusal of a lane in which too many wait. */
export const laneFull = (): Error =>
  problem.tooMany("Too many workflows wait in this lane. Wait for some to end.", 10, "queue_full");

/** The refusal of an install that has lost its lane. */
export const laneGone = (): Error =>
  problem.conflict("lane_gone", "The install's lane was deleted: forget the install.");

import { problem } from "../../shared/problem.ts";

/** The refusal of a lane in which too many wait. */
export const laneFull = (): Error =>
  problem.tooMany("Too many workflows wait in this lane. Wait for some to end.", 10, "queue_full");

/** The refusal of an install or an app that has lost its lane. */
export const laneGone = (): Error =>
  problem.conflict("lane_gone", "Its lane was deleted: forget the install, or the app is gone.");

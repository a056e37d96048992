import { tallyJobEnds as tally } from "../database-metrics/tally-job-ends.ts";
import { rollUpBeats as rollUp } from "../processes/roll-up-beats.ts";
import type { Task } from "./task.ts";

/** Rolls up the minute that has just ended. */
export const rollUpBeats: Task = async ({ db }) => {
  await rollUp(db);
};

/** Adds the jobs that ended in the last minute to the totals of /metrics. */
export const tallyJobEnds: Task = async ({ db }) => {
  await tally(db);
};

import { tallyJobEnds as tally } from "../database-metrics/tally-job-ends.ts";
import type { Task } from "./task.ts";

/** Adds the jobs that ended in the last minute to the totals of /metrics. */
export const tallyJobEnds: Task = async ({ db }) => {
  await tally(db);
};

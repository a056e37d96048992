import { deleteOldBeats } from "./delete-old-beats.ts";
import { deleteOldHistory } from "./delete-old-history.ts";
import { deleteOldJobs } from "./delete-old-jobs.ts";
import { deleteOldTelemetry } from "./delete-old-telemetry.ts";
import { rollUpBeats } from "./roll-up-beats.ts";
import { runnerInactive } from "./runner-inactive.ts";
import { tallyJobEnds } from "./tally-job-ends.ts";
import type { Task } from "./task.ts";

type Row = {
  readonly task: Task;
  /** When it is due by itself (UTC); absent: only when a statement enqueues it. */
  readonly cron?: string;
};

/** Every task by its name in the database. */
export const tasks: Readonly<Record<string, Row>> = {
  "tally-job-ends": { task: tallyJobEnds, cron: "* * * * *" },
  "roll-up-beats": { task: rollUpBeats, cron: "* * * * *" },
  "delete-old-jobs": { task: deleteOldJobs, cron: "7 * * * *" },
  "delete-old-beats": { task: deleteOldBeats, cron: "17 * * * *" },
  "delete-old-history": { task: deleteOldHistory, cron: "27 * * * *" },
  "delete-old-telemetry": { task: deleteOldTelemetry, cron: "37 * * * *" },
  "runner-inactive": { task: runnerInactive },
};

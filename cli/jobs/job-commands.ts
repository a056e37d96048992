import type { Command } from "../command.ts";
import { cancelJob } from "./cancel-job.ts";
import { createJob } from "./create-job.ts";
import { explainJob } from "./explain-job.ts";
import { getJob } from "./get-job.ts";
import { listJobs } from "./list-jobs.ts";
import { rerunJob } from "./rerun-job.ts";
import { runJob } from "./run-job.ts";
import { waitForJob } from "./wait-for-job.ts";

/** The commands of jobs, in the order of help. */
export const jobCommands: readonly Command[] = [
  runJob,
  createJob,
  listJobs,
  getJob,
  waitForJob,
  explainJob,
  cancelJob,
  rerunJob,
];

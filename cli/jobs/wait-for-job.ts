import { defineCommand } from "../command.ts";
import { waitCodes, waitFlags, awaitJobs } from "./await-jobs.ts";
import { jobTargets } from "./job-target.ts";

export const waitForJob = defineCommand({
  name: "job wait",
  summary: "Wait until jobs have ended, or are where --for says.",
  details:
    "Past statuses count: a job that ran and has ended meets --for running. With several jobs, each is shown as soon as it is done waiting; the exit code is the first that is not 0, in the order of the arguments.",
  codes: waitCodes,
  args: { job: { summary: "The jobs' ids.", offers: "jobs", isRepeatable: true } },
  flags: {
    for: {
      value: "WHAT",
      choices: jobTargets,
      summary:
        "What to wait for: ended (default), succeeded (the same as finished), running (the same as in-progress), or any status.",
    },
    ...waitFlags,
  },
  examples: [
    {
      does: "Wait at most ten minutes; the exit code says how the job ended.",
      run: "svc job wait job_… --timeout 10m --exit-status",
    },
    { does: "Wait until two jobs run.", run: "svc job wait job_… job_… --for running" },
  ],
  run: async ({ args, flags, call, screen }) => {
    const target = flags.for ?? "ended";
    return await awaitJobs({ flags, call, screen, target }, args.job);
  },
});

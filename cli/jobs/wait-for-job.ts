import { defineCommand } from "../command.ts";
import { waitCodes, waitFlags, awaitJobs } from "./await-jobs.ts";
import { jobTargets } from "./job-target.ts";

export const waitForJob = defineCommand({
  name: "job wait",
  summary: "Wait until jobs have ended, or are where --for says.",
  details:
    "What a job was counts: one that ran and has ended meets --for running. Of several jobs each is shown as soon as its " +
    "waiting is over; the exit code is that of the first, as they are named, that is not 0.",
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

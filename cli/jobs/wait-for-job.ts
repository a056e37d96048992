import { defineCommand } from "../command.ts";
import { awaitJob, waitFlags } from "./await-job.ts";

export const waitForJob = defineCommand({
  name: "job wait",
  summary: "Wait until a job has ended.",
  args: { job: { summary: "The job's id.", offers: "jobs" } },
  flags: waitFlags,
  examples: [
    {
      does: "ten minutes at most; the exit code says how it went",
      run: "svc job wait job_… --timeout 10m --exit-status",
    },
  ],
  run: async ({ args, flags, call, screen }) => await awaitJob({ flags, call, screen }, args.job),
});

import { defineCommand } from "../command.ts";
import { awaitJob, waitFlags } from "./await-job.ts";

export const waitForJob = defineCommand({
  name: "job wait",
  summary: "Wait until a job has ended.",
  args: { job: { summary: "The job's id.", offers: "jobs" } },
  flags: waitFlags,
  examples: [
    {
      does: "Wait at most ten minutes; the exit code says how the job ended.",
      run: "svc job wait job_… --timeout 10m --exit-status",
    },
  ],
  run: async ({ args, flags, call, screen }) => await awaitJob({ flags, call, screen }, args.job),
});

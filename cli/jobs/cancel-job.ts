import { cancelJobRoute } from "../../shared/api/control-runner-jobs.ts";
import { defineCommand } from "../command.ts";
import { printItem } from "../output/print.ts";
import { jobDetails } from "./job-view.ts";

export const cancelJob = defineCommand({
  name: "job cancel",
  summary: "Cancel a job. A running job is told to stop.",
  args: { job: { summary: "The job's id.", offers: "jobs" } },
  examples: [{ does: "Cancel a job.", run: "svc job cancel job_…" }],
  run: async ({ args, call, screen }) => {
    const job = await call(cancelJobRoute, { params: { job_id: args.job } });
    printItem(screen, job, jobDetails);
    screen.say(`Run it again: svc job rerun ${job.body.id}`);
  },
});

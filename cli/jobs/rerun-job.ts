import { rerunJobRoute } from "../../shared/api/control-runner-jobs.ts";
import { defineCommand } from "../command.ts";
import { printItem } from "../output/print.ts";
import { jobDetails } from "./job-view.ts";

export const rerunJob = defineCommand({
  name: "job rerun",
  summary: "Enqueue a copy of a job.",
  args: { job: { summary: "The job's id.", offers: "jobs" } },
  examples: [{ does: "Run the job again.", run: "svc job rerun job_…" }],
  run: async ({ args, call, screen }) => {
    const job = await call(rerunJobRoute, { params: { job_id: args.job } });
    printItem(screen, job, jobDetails);
    screen.say(`Follow it: svc job wait ${job.body.id}`);
  },
});

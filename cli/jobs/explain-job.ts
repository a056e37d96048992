import { getWaitingRoute } from "../../shared/api/read-runner-jobs.ts";
import { defineCommand } from "../command.ts";
import { printItem } from "../output/print.ts";
import { waitingText } from "./job-view.ts";

export const explainJob = defineCommand({
  name: "job why",
  summary: "Explain why a job is waiting.",
  args: { job: { summary: "The job's id.", offers: "jobs" } },
  examples: [{ does: "Show the reasons, most important first.", run: "svc job why job_…" }],
  run: async ({ args, call, screen }) => {
    const why = await call(getWaitingRoute, { params: { job_id: args.job } });
    printItem(screen, why, {
      nameOf: ({ runner_job_id }) => runner_job_id,
      columns: {
        job: ({ runner_job_id }) => runner_job_id,
        status: ({ status }) => status,
        waiting: (waiting) => waitingText(waiting) || "It does not wait.",
      },
    });
  },
});

import { getJobPlanRoute, getJobRoute } from "../../shared/api/read-runner-jobs.ts";
import { defineCommand } from "../command.ts";
import { printItem } from "../print.ts";
import { jobDetails } from "./job-view.ts";

export const getJob = defineCommand({
  name: "job get",
  summary: "Show a job.",
  args: { job: { summary: "The job's id.", offers: "jobs" } },
  flags: { "only-plan": { summary: "Show its plan and nothing else, byte for byte." } },
  examples: [
    { does: "how it stands", run: "svc job get job_…" },
    { does: "its executions and their results", run: "svc job get job_… -o json | jq .executions" },
    { does: "what it is to do", run: "svc job get job_… --only-plan" },
  ],
  run: async ({ args, flags, call, screen }) => {
    const params = { job_id: args.job };
    if (flags["only-plan"]) screen.asIs.out((await call(getJobPlanRoute, { params })).text);
    else printItem(screen, await call(getJobRoute, { params }), jobDetails);
  },
});

import { getJobPlanRoute, getJobRoute } from "../../shared/api/read-runner-jobs.ts";
import { defineCommand } from "../command.ts";
import { printItem } from "../output/print.ts";
import { jobDetails } from "./job-view.ts";

export const getJob = defineCommand({
  name: "job get",
  summary: "Show a job.",
  args: { job: { summary: "The job's id.", offers: "jobs" } },
  flags: {
    "only-plan": {
      summary:
        "Print only its plan, unchanged. Needs the permission plans.read; without plans.secrets its secrets are redacted.",
    },
  },
  examples: [
    { does: "Show the job's status.", run: "svc job get job_…" },
    {
      does: "Show its executions and their results.",
      run: "svc job get job_… -o json | jq .executions",
    },
    { does: "Show its plan.", run: "svc job get job_… --only-plan" },
  ],
  run: async ({ args, flags, call, screen }) => {
    const params = { job_id: args.job };
    if (!flags["only-plan"]) {
      printItem(screen, await call(getJobRoute, { params }), jobDetails);
      return;
    }
    const { text, headers } = await call(getJobPlanRoute, { params });
    screen.asIs.out(text);
    if (headers.get("x-svc-plan") === "masked") {
      screen.say("Its secrets are redacted: this token lacks the permission plans.secrets.");
    }
  },
});

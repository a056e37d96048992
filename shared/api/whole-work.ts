import { z } from "@hono/zod-openapi";
import { actionRuns } from "./actions.ts";
import { logStreamSchema } from "./log-streams.ts";
import { runnerJobSchema } from "./runner-job.ts";
import { workflowSchema } from "./workflow.ts";

const logStream = logStreamSchema
  .optional()
  .describe("The stream of `log_stream_id`; left out where there is none yet.");

/** What a single read shows of the jobs of a deploy or a run, besides what lists show. */
export const workOfDeploy = {
  runner_jobs: z
    .array(runnerJobSchema)
    .describe("That which planned and that which changed something, the newest first."),
  log_stream: logStream,
  workflow: workflowSchema.optional().describe("Without its steps."),
  action_workflow_runs: z
    .array(actionRuns.itemSchema)
    .describe("The runs of actions of its workflow, the newest first; at most 100."),
};

/** The same of a build. */
export const workOfBuild = {
  runner_job: runnerJobSchema.optional().describe("Left out where there is none yet."),
  log_stream: logStream,
};

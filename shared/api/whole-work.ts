import { z } from "@hono/zod-openapi";
import type { Permission } from "../permissions.ts";
import { actionRuns } from "./actions.ts";
import { installRoleUsages } from "./install-role-usages.ts";
import { logStreamSchema } from "./log-streams.ts";
import { runnerJobSchema } from "./runner-job.ts";
import { workflowSchema } from "./workflow.ts";

/** Nobody is shown beside something else what they could not read by itself. */
const left = (permission: Permission): string =>
  `left out of answers to who has not \`${permission}\``;

const logStream = logStreamSchema
  .optional()
  .describe(`The stream of \`log_stream_id\`, once there is one; ${left("logs.read")}.`);

/** What a single read shows of the jobs of a deploy or a run, besides what lists show. */
export const workOfDeploy = {
  runner_jobs: z
    .array(runnerJobSchema)
    .optional()
    .describe(
      `That which planned and that which changed something, the newest first; ${left("jobs.read")}.`,
    ),
  log_stream: logStream,
  install_role_usage: installRoleUsages.itemSchema
    .optional()
    .describe("As whom the newest of its jobs runs, once there is one."),
  workflow: workflowSchema.optional().describe(`Without its steps; ${left("workflows.read")}.`),
  action_workflow_runs: z
    .array(actionRuns.itemSchema)
    .describe("The runs of actions of its workflow, the newest first; at most 100."),
};

/** The same of a build. */
export const workOfBuild = {
  runner_job: runnerJobSchema.optional().describe(`Once there is one; ${left("jobs.read")}.`),
  log_stream: logStream,
};

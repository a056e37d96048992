import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { installRoleUsages } from "./install-role-usages.ts";
import { listingDescription, listingOf, listingQuery } from "./listing.ts";
import { json } from "./response.ts";
import { runnerJobSchema } from "./runner-job.ts";
import { workflowSchema } from "./workflow.ts";

const whole = installRoleUsages.itemSchema
  .extend({
    runner_job: runnerJobSchema
      .optional()
      .describe("Left out of answers to who has not `jobs.read`."),
    workflow: workflowSchema
      .optional()
      .describe("Without its steps; left out of answers to who has not `workflows.read`."),
  })
  .openapi("WholeInstallRoleUsage");
export type WholeRoleUsage = z.infer<typeof whole>;

export const listRoleUsagesRoute = createRoute("listInstallRoleUsages", {
  get: installRoleUsages.path,
  rule: { surface: "control-plane", permission: "installs.read" },
  tags: [installRoleUsages.tag],
  summary: "List as whom the jobs of an install ran",
  description: listingDescription,
  query: z.object({ ...listingQuery, role_name: installRoleUsages.filters.role_name.schema }),
  responses: { 200: json(listingOf(whole), "Uses of roles, one a job.") },
});

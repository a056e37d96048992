import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { installDeploys, sandboxRunSchema } from "./install-deploys.ts";
import { createdQuery, listingDescription, listingOf, listingQuery, partQuery } from "./listing.ts";
import { json } from "./response.ts";
import { truth } from "./truth.ts";
import { wholeStepSchema } from "./whole-step.ts";
import {
  stepGroupSchema,
  stepSchema,
  wholeWorkflowSchema,
  workflowSchema,
  workflowStatusSchema,
} from "./workflow.ts";

const tags = ["Workflows"];
const path = "/v1/workflows/{workflow_id}";
const reading = { surface: "control-plane", permission: "workflows.read" } as const;
const filters = {
  type: z.string().max(100).optional().describe("Such as `provision`."),
  status: workflowStatusSchema.optional().describe("In which status they are."),
  finished: truth.optional().describe("Whether they have finished."),
  planonly: truth.optional().describe("Whether they only plan."),
  search: z.string().max(255).optional().describe("A part of their type or their id."),
  ...createdQuery,
};

export const listWorkflowsRoute = createRoute("listWorkflows", {
  get: "/v1/workflows",
  rule: { ...reading, bound: true },
  tags,
  summary: "List workflows",
  description: listingDescription,
  query: z.object({
    ...listingQuery,
    owner_id: z.string().max(64).optional().describe("Of which install."),
    parent_id: z.string().max(64).optional().describe("Only those that this workflow started."),
    ...filters,
  }),
  responses: { 200: json(listingOf(workflowSchema), "Workflows.") },
});

export const listWorkflowsOfInstallRoute = createRoute("listWorkflowsOfInstall", {
  get: "/v1/installs/{install_id}/workflows",
  rule: reading,
  tags,
  summary: "List workflows of an install",
  description: listingDescription,
  query: z.object({ ...listingQuery, ...filters }),
  responses: { 200: json(listingOf(workflowSchema), "Workflows.") },
});

const ofInstall =
  "The newest first, at most 200 with those of the other kind; left out of a workflow of an app, and of answers to who has not `installs.read`.";
const withDeploys = wholeWorkflowSchema
  .extend({
    install_deploys: z
      .array(installDeploys.itemSchema)
      .optional()
      .describe(`What it deploys of components. ${ofInstall}`),
    install_sandbox_runs: z
      .array(sandboxRunSchema)
      .optional()
      .describe(`Its runs of the sandbox. ${ofInstall}`),
  })
  .openapi("WholeWorkflowWithDeploys");

export const getWorkflowRoute = createRoute("getWorkflow", {
  get: path,
  rule: reading,
  tags,
  summary: "Read a workflow with its steps",
  responses: { 200: json(withDeploys, "The workflow.") },
});

const waitQuery = z.object({
  wait: z.string().max(40).optional().describe("At most and by default 25s."),
});

export const awaitWorkflowRoute = createRoute("awaitWorkflow", {
  get: `${path}/await`,
  rule: { ...reading, ownPermit: true },
  tags,
  summary: "Wait until a workflow has finished or needs a person",
  description:
    "Returns as soon as that is the case, or with the workflow as it is when `wait` is over.",
  query: waitQuery,
  responses: { 200: json(wholeWorkflowSchema, "The workflow.") },
});

export const getQueuePositionRoute = createRoute("getWorkflowQueuePosition", {
  get: `${path}/queue-position`,
  rule: reading,
  tags,
  summary: "Read a workflow's position in its lane",
  responses: {
    200: json(
      z
        .object({
          position: z
            .int()
            .describe(
              "How many are ahead of it. 0: nothing is ahead of it, it waits for a person, or it has finished.",
            ),
          queue_depth: z
            .int()
            .describe(
              "All workflows of the lane that have not finished: running, waiting for their turn, or waiting for a person.",
            ),
          signals_ahead: z
            .array(
              z.object({
                workflow_id: z.string(),
                workflow_type: z.string(),
                status: z.string(),
                created_at: z.iso.datetime(),
              }),
            )
            .describe(
              "The first hundred of them. One that waits for a person goes before it, but keeps no place in the lanes of plans and actions.",
            ),
        })
        .openapi("WorkflowQueuePositionResponse"),
      "Its position.",
    ),
  },
});

export const listStepsRoute = createRoute("listWorkflowSteps", {
  get: `${path}/steps`,
  rule: reading,
  tags,
  summary: "List the steps of a workflow",
  description: "In their order, all of them unless `limit` or `page` is given.",
  query: z.object(partQuery),
  responses: { 200: json(z.array(stepSchema), "Steps.") },
});

export const getStepRoute = createRoute("getWorkflowStep", {
  get: `${path}/steps/{step_id}`,
  rule: reading,
  tags,
  summary: "Read a step of a workflow",
  responses: { 200: json(wholeStepSchema, "The step.") },
});

export const awaitStepRoute = createRoute("awaitWorkflowStep", {
  get: `${path}/steps/{step_id}/await`,
  rule: { ...reading, ownPermit: true },
  tags,
  summary: "Wait until a step has ended or needs a person",
  description:
    "Returns as soon as that is the case, or with the step as it is when `wait` is over.",
  query: waitQuery,
  responses: { 200: json(stepSchema, "The step.") },
});

export const listStepGroupsRoute = createRoute("listWorkflowStepGroups", {
  get: `${path}/step-groups`,
  rule: reading,
  tags,
  summary: "List the groups of steps of a workflow",
  responses: { 200: json(z.array(stepGroupSchema), "Groups.") },
});

export const getStepGroupRoute = createRoute("getWorkflowStepGroup", {
  get: `${path}/step-groups/{group_id}`,
  rule: reading,
  tags,
  summary: "Read a group of steps",
  responses: { 200: json(stepGroupSchema, "The group.") },
});

import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { workflowResponseSchema } from "./install.ts";
import { listingDescription, listingOf, listingQuery } from "./listing.ts";
import { json, jsonBody } from "./response.ts";
import {
  approvalParams,
  approvalResponseInput,
  approvalSchema,
  stepParams,
  wholeWorkflowSchema,
  workflowParams as params,
} from "./workflow.ts";

const tags = ["Workflows"];
const path = "/v1/workflows/{workflow_id}";
const stepPath = `${path}/steps/{step_id}` as const;
const approvalPath = `${stepPath}/approvals/{approval_id}` as const;
const reading = { surface: "control-plane", permission: "workflows.read" } as const;
const operating = { surface: "control-plane", permission: "installs.operate" } as const;
const responding = { surface: "control-plane", permission: "approvals.respond" } as const;

export const updateWorkflowRoute = createRoute({
  operationId: "updateWorkflow",
  rule: responding,
  method: "patch",
  path,
  tags,
  summary: "Approve all of a workflow, or ask again",
  description:
    "`approve-all` also approves what waits now, unless it has expired. With If-Match, 412 if the workflow has changed in the meantime. 409 `workflow_final` once it has finished.",
  request: {
    params,
    body: jsonBody(z.strictObject({ approval_option: z.enum(["prompt", "approve-all"]) })),
  },
  responses: { 200: json(wholeWorkflowSchema, "The workflow.") },
});

export const cancelWorkflowRoute = createRoute({
  operationId: "cancelWorkflow",
  rule: operating,
  method: "post",
  path: `${path}/cancel`,
  tags,
  summary: "Cancel a workflow",
  description:
    "No further step starts; the workflow is cancelled as soon as its jobs have stopped. 409 `workflow_final` once it has finished.",
  request: { params },
  responses: { 202: json(workflowResponseSchema, "It is being cancelled.") },
});

export const cancelWorkflowsRoute = createRoute({
  operationId: "cancelWorkflows",
  rule: { ...operating, bound: true },
  method: "post",
  path: "/v1/workflows/cancel",
  tags,
  summary: "Cancel several workflows",
  request: {
    body: jsonBody(z.strictObject({ workflow_ids: z.array(z.string().max(64)).min(1).max(100) })),
  },
  responses: {
    200: json(
      z.array(
        z.object({
          workflow_id: z.string(),
          outcome: z.enum(["cancelling", "cancelled", "final", "not-found"]),
        }),
      ),
      "The result for each.",
    ),
  },
});

export const cancelStepRoute = createRoute({
  operationId: "cancelWorkflowStep",
  rule: operating,
  method: "post",
  path: `${stepPath}/cancel`,
  tags,
  summary: "Cancel a step and end its workflow",
  description:
    "A step that has not started never will. The workflow ends as an error: at once if it waits for a retry, otherwise when it reaches the step. Steps that run in parallel finish. 409 `step_final` for a step that has ended.",
  request: { params: stepParams },
  responses: { 202: json(workflowResponseSchema, "It is being cancelled.") },
});

export const retryStepRoute = createRoute({
  operationId: "retryWorkflowStep",
  rule: { ...operating, idempotent: "replay" },
  method: "post",
  path: `${stepPath}/retry`,
  tags,
  summary: "Retry a step that failed",
  description: "409 `not_retryable`, `retries_exhausted`, `group_open`, `cancelling`.",
  request: { params: stepParams },
  responses: {
    201: json(workflowResponseSchema.extend({ retryable: z.boolean() }), "It is tried again."),
  },
});

export const skipStepRoute = createRoute({
  operationId: "skipWorkflowStep",
  rule: { ...operating, idempotent: "replay" },
  method: "post",
  path: `${stepPath}/skip`,
  tags,
  summary: "Skip a step that failed",
  description: "409 `not_skippable`, `group_open`, `cancelling`.",
  request: { params: stepParams },
  responses: {
    201: json(workflowResponseSchema.extend({ skippable: z.boolean() }), "It is skipped."),
  },
});

export const resumeWorkflowRoute = createRoute({
  operationId: "resumeWorkflow",
  rule: { ...operating, idempotent: "replay" },
  method: "post",
  path: `${path}/resume`,
  tags,
  summary: "Resume a workflow that ended as an error",
  description:
    "It continues at the first step that did not succeed, once it is its turn in the lane. 409 `not_resumable`; `superseded` if another change of the install has started since or waits in the lane.",
  request: { params },
  responses: { 201: json(workflowResponseSchema, "It waits for its turn.") },
});

export const listPendingApprovalsRoute = createRoute({
  operationId: "listPendingApprovals",
  rule: { ...reading, bound: true },
  method: "get",
  path: "/v1/workflows/pending-approvals",
  tags,
  summary: "List approvals that wait for an answer",
  description: listingDescription,
  request: {
    query: z.object({
      ...listingQuery,
      owner_id: z.string().max(64).optional().describe("Of whose workflows: an install's id."),
    }),
  },
  responses: { 200: json(listingOf(approvalSchema), "Approvals.") },
});

export const getApprovalRoute = createRoute({
  operationId: "getApproval",
  rule: reading,
  method: "get",
  path: approvalPath,
  tags,
  summary: "Read an approval",
  request: { params: approvalParams },
  responses: { 200: json(approvalSchema, "The approval.") },
});

export const getApprovalContentsRoute = createRoute({
  operationId: "getApprovalContents",
  rule: reading,
  method: "get",
  path: `${approvalPath}/contents`,
  tags,
  summary: "Read what is to be approved",
  description:
    "The masked twin of the plan: whatever depends on something sensitive is `(secret)`. For a plan made by an older version: the members of its steps, without values.",
  request: { params: approvalParams },
  responses: { 200: json(z.record(z.string(), z.unknown()), "The plan.") },
});

export const respondRoute = createRoute({
  operationId: "respondToApproval",
  rule: { ...responding, idempotent: "replay" },
  method: "post",
  path: `${approvalPath}/response`,
  tags,
  summary: "Answer an approval",
  description:
    "The first answer counts: 409 `approval_answered`, `approval_expired`, `workflow_cancelled`; 412 if `plan_digest` is not the plan's. 403 " +
    "`self_approval` if the org does not let people approve workflows that they are behind.",
  request: { params: approvalParams, body: jsonBody(approvalResponseInput) },
  responses: {
    201: json(
      z
        .object({
          id: z.string(),
          type: z.string(),
          note: z.string(),
          outcome: z
            .enum(["applied", "replanned"])
            .describe("replanned: the plan was too old, or a new one was requested."),
        })
        .openapi("WorkflowStepApprovalResponse"),
      "The answer.",
    ),
  },
});

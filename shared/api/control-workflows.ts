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
    "`approve-all` also answers what waits now, unless its time is up. With If-Match, 412 when it has moved meanwhile. 409 `workflow_final` once it has finished.",
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
    "Nothing more begins; it is cancelled as soon as its jobs have stopped. 409 `workflow_final` once it has finished.",
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
      "What came of each.",
    ),
  },
});

export const cancelStepRoute = createRoute({
  operationId: "cancelWorkflowStep",
  rule: operating,
  method: "post",
  path: `${stepPath}/cancel`,
  tags,
  summary: "Cancel a step, and with it its workflow's run",
  description:
    "One that has not begun never does. The workflow ends as an error: at once where it waits for a retry, else when it comes to the step; those beside it run out. 409 `step_final` for a step that has ended.",
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
  summary: "Pass over a step that failed",
  description: "409 `not_skippable`, `group_open`, `cancelling`.",
  request: { params: stepParams },
  responses: {
    201: json(workflowResponseSchema.extend({ skippable: z.boolean() }), "It is passed over."),
  },
});

export const resumeWorkflowRoute = createRoute({
  operationId: "resumeWorkflow",
  rule: { ...operating, idempotent: "replay" },
  method: "post",
  path: `${path}/resume`,
  tags,
  summary: "Go on with a workflow that ended as an error",
  description:
    "At the first step that did not succeed, when it is its turn in its lane again. 409 `not_resumable`; `superseded` where another change of the install has begun since, or waits in the lane.",
  request: { params },
  responses: { 201: json(workflowResponseSchema, "It waits for its turn.") },
});

export const listPendingApprovalsRoute = createRoute({
  operationId: "listPendingApprovals",
  rule: { ...reading, bound: true },
  method: "get",
  path: "/v1/workflows/pending-approvals",
  tags,
  summary: "List approvals that somebody is to answer",
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
    "The masked twin of the plan: whatever depends on something sensitive is `(secret)`. Of a plan that an older version made: which members its steps have, without their values.",
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
    "The first answer counts: 409 `approval_answered`, `approval_expired`, `workflow_cancelled`; 412 for another plan than the one whose `plan_digest` was sent. 403 " +
    "`self_approval` where the org forbids that who stands behind a workflow approves it.",
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
            .describe("replanned: the plan was too old, or another one was asked for."),
        })
        .openapi("WorkflowStepApprovalResponse"),
      "The answer.",
    ),
  },
});

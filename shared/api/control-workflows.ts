import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { workflowResponseSchema } from "./install.ts";
import { listingDescription, listingOf, listingQuery } from "./listing.ts";
import { json } from "./response.ts";
import { approvalResponseInput, approvalSchema, wholeWorkflowSchema } from "./workflow.ts";

const tags = ["Workflows"];
const path = "/v1/workflows/{workflow_id}";
const stepPath = `${path}/steps/{step_id}` as const;
const approvalPath = `${stepPath}/approvals/{approval_id}` as const;
const reading = { surface: "control-plane", permission: "workflows.read" } as const;
const ofInstall = { surface: "control-plane", permission: "installs.operate" } as const;
const operating = { ...ofInstall, or: "builds.write" } as const;
const responding = { surface: "control-plane", permission: "approvals.respond" } as const;

export const updateWorkflowRoute = createRoute("updateWorkflow", {
  patch: path,
  rule: { ...responding, ifMatch: true },
  tags,
  summary: "Approve all of a workflow, or ask again",
  description:
    "`approve-all` also approves what waits now, unless it has expired. With If-Match, 412 if the workflow has changed in the meantime. 409 `workflow_final` once it has finished.",
  body: z.strictObject({ approval_option: z.enum(["prompt", "approve-all"]) }),
  responses: { 200: json(wholeWorkflowSchema, "The workflow.") },
});

export const cancelWorkflowRoute = createRoute("cancelWorkflow", {
  post: `${path}/cancel`,
  rule: operating,
  tags,
  summary: "Cancel a workflow",
  description:
    "No further step starts; the workflow is cancelled as soon as its jobs have stopped. 409 `workflow_final` once it has finished.",
  responses: { 202: json(workflowResponseSchema, "It is being cancelled.") },
});

const cancelledSchema = z
  .object({
    cancelled: z.array(z.string()).describe("Those that are cancelled, or are being cancelled."),
    errors: z
      .array(z.object({ workflow_id: z.string(), error: z.string() }))
      .describe("Those that are not, and why."),
    outcomes: z.array(
      z.object({
        workflow_id: z.string(),
        outcome: z.enum(["cancelling", "cancelled", "final", "not-found", "forbidden"]),
      }),
    ),
  })
  .openapi("CancelWorkflowsResponse");

export const cancelWorkflowsRoute = createRoute("cancelWorkflows", {
  post: "/v1/workflows/cancel",
  rule: { ...operating, bound: true },
  tags,
  summary: "Cancel several workflows",
  body: z.strictObject({ workflow_ids: z.array(z.string().max(64)).min(1).max(100) }),
  responses: { 200: json(cancelledSchema, "The result for each.") },
});

export const cancelStepRoute = createRoute("cancelWorkflowStep", {
  post: `${stepPath}/cancel`,
  rule: operating,
  tags,
  summary: "Cancel a step and end its workflow",
  description:
    "A step that has not started never will. The workflow ends as an error: at once if it waits for a retry, otherwise when it reaches the step. Steps that run in parallel finish. 409 `step_final` for a step that has ended.",
  responses: { 202: json(workflowResponseSchema, "It is being cancelled.") },
});

export const retryStepRoute = createRoute("retryWorkflowStep", {
  post: `${stepPath}/retry`,
  rule: { ...operating, idempotent: "replay" },
  tags,
  summary: "Retry a step that failed",
  description: "409 `not_retryable`, `retries_exhausted`, `group_open`, `cancelling`.",
  responses: {
    201: json(workflowResponseSchema.extend({ retryable: z.boolean() }), "It is tried again."),
  },
});

export const skipStepRoute = createRoute("skipWorkflowStep", {
  post: `${stepPath}/skip`,
  rule: { ...operating, idempotent: "replay" },
  tags,
  summary: "Skip a step that failed",
  description: "409 `not_skippable`, `group_open`, `cancelling`.",
  responses: {
    201: json(workflowResponseSchema.extend({ skippable: z.boolean() }), "It is skipped."),
  },
});

export const retryInInstallRoute = createRoute("retryInstallWorkflow", {
  post: "/v1/installs/{install_id}/retry-workflow",
  rule: { ...ofInstall, idempotent: "replay" },
  tags,
  summary: "Retry or skip a step of an install's workflow",
  description:
    "As the routes of the step do. 409 `not_retryable`, `not_skippable`, `retries_exhausted`, `group_open`, `cancelling`.",
  body: z.strictObject({
    workflow_id: z.string().max(64),
    step_id: z.string().max(64),
    operation: z.enum(["retry-step", "skip-step"]),
  }),
  responses: { 201: json(workflowResponseSchema, "The workflow goes on.") },
});

export const resumeWorkflowRoute = createRoute("resumeWorkflow", {
  post: `${path}/resume`,
  rule: { ...operating, idempotent: "replay" },
  tags,
  summary: "Resume a workflow that ended as an error",
  description:
    "It continues at the first step that did not succeed, once it is its turn in the lane. 409 `not_resumable`; `superseded` if another change of the install has started since or waits in the lane.",
  responses: { 201: json(workflowResponseSchema, "It waits for its turn.") },
});

export const listPendingApprovalsRoute = createRoute("listPendingApprovals", {
  get: "/v1/workflows/pending-approvals",
  rule: { ...reading, bound: true },
  tags,
  summary: "List approvals that wait for an answer",
  description: listingDescription,
  query: z.object({
    ...listingQuery,
    owner_id: z.string().max(64).optional().describe("Of whose workflows: an install's id."),
  }),
  responses: { 200: json(listingOf(approvalSchema), "Approvals.") },
});

export const getApprovalRoute = createRoute("getApproval", {
  get: approvalPath,
  rule: reading,
  tags,
  summary: "Read an approval",
  responses: { 200: json(approvalSchema, "The approval.") },
});

export const getApprovalContentsRoute = createRoute("getApprovalContents", {
  get: `${approvalPath}/contents`,
  rule: reading,
  tags,
  summary: "Read what is to be approved",
  description:
    "The masked twin of the plan: whatever depends on something sensitive is `(secret)`. For a plan made by an older version: the members of its steps, without values.",
  responses: { 200: json(z.record(z.string(), z.unknown()), "The plan.") },
});

export const respondRoute = createRoute("respondToApproval", {
  post: `${approvalPath}/response`,
  rule: { ...responding, idempotent: "replay" },
  tags,
  summary: "Answer an approval",
  description:
    "The first answer counts: 409 `approval_answered`, `approval_expired`, `workflow_cancelled`; 412 if `plan_digest` is not the plan's. 403 " +
    "`self_approval` if the org does not let people approve workflows that they are behind.",
  body: approvalResponseInput,
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
        .openapi("CreateWorkflowStepApprovalResponseResponse"),
      "The answer.",
    ),
  },
});

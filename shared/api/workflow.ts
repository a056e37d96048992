import { z } from "@hono/zod-openapi";
import { approvalResponseTypes, stepDirectives } from "../workflow-step.ts";
import { workflowStatuses } from "../workflow.ts";
import { compositeFaultSchema } from "./composite-fault.ts";
import { compositeStatusSchema } from "./composite-status.ts";
import { idParam } from "./id-param.ts";

const instant = z.iso.datetime();

export const workflowParams = z.object({ workflow_id: idParam("workflow_id", "wfl") });
export const stepParams = workflowParams.extend({ step_id: idParam("step_id", "stp") });
export const approvalParams = stepParams.extend({ approval_id: idParam("approval_id", "apv") });
export const stepGroupParams = workflowParams.extend({ group_id: idParam("group_id", "wsg") });

export const approvalSchema = z
  .object({
    id: z.string(),
    workflow_id: z.string(),
    workflow_step_id: z.string(),
    installWorkflowStepID: z.string().describe("The same as `workflow_step_id`."),
    step_name: z.string(),
    runner_job_id: z.string().nullable(),
    owner_id: z.string().describe("What it is about."),
    owner_type: z.string(),
    type: z.string().describe("noop: what an action is about to do."),
    plan_digest: z.string().describe("SHA-256 of what is approved; send it with the response."),
    expires_at: instant,
    created_at: instant,
    response: z
      .object({
        id: z.string(),
        type: z.enum([...approvalResponseTypes, "auto-approve"]),
        note: z.string(),
        created_by_id: z.string(),
        created_at: instant,
      })
      .optional()
      .describe("Once somebody has answered."),
  })
  .openapi("WorkflowStepApproval");
export type ShownApproval = z.infer<typeof approvalSchema>;

export const stepSchema = z
  .object({
    id: z.string(),
    workflow_id: z.string(),
    install_workflow_id: z.string().describe("The same; deprecated."),
    workflow_step_group_id: z.string(),
    name: z.string(),
    idx: z.int().describe("Its place in the workflow; clones have that of the first."),
    group_idx: z.int(),
    group_retry_idx: z.int(),
    group_parallel: z.boolean(),
    owner_id: z.string(),
    owner_type: z.string(),
    execution_type: z.enum(["system", "user", "approval", "skipped", "hidden"]),
    step_target_id: z.string(),
    step_target_type: z.string(),
    status: compositeStatusSchema,
    finished: z.boolean(),
    started_at: instant.nullable(),
    finished_at: instant.nullable(),
    execution_time: z.int().describe("Nanoseconds from its start to its end, or until now."),
    retryable: z.boolean(),
    retried: z.boolean().describe("Replaced by another row."),
    retry_index: z.int(),
    skippable: z.boolean(),
    skip_on_failure: z.boolean(),
    result_directive: z.enum(stepDirectives).nullable(),
    runner_job_id: z.string().nullable(),
    composite_error: compositeFaultSchema.optional(),
    approval: approvalSchema.optional(),
    child_workflows: z
      .array(
        z.object({
          id: z.string(),
          type: z.string(),
          owner_id: z.string(),
          status: z.enum(workflowStatuses),
        }),
      )
      .describe("The workflows that it started."),
    deadline_at: instant
      .nullable()
      .describe("The clock of its status; of a pending one: not before."),
    created_at: instant,
  })
  .openapi("WorkflowStep");
export type ShownStep = z.infer<typeof stepSchema>;

export const stepGroupSchema = z
  .object({
    id: z.string(),
    workflow_id: z.string(),
    group_idx: z.int(),
    group_retry_idx: z.int(),
    parallel: z.boolean(),
    name: z.string(),
    result_directive: z.enum(stepDirectives).nullable().describe("null while it is open."),
    steps: z.array(stepSchema),
  })
  .openapi("WorkflowStepGroup");
export type ShownGroup = z.infer<typeof stepGroupSchema>;

const runSchema = z
  .object({
    id: z.string(),
    workflow_id: z.string(),
    type: z.enum(["initial", "retry", "skip", "resume"]),
    status: compositeStatusSchema,
    start_from_idx: z.int(),
    trigger_step_id: z.string(),
    started_at: instant.nullable(),
    finished_at: instant.nullable(),
  })
  .openapi("WorkflowRun");

const members = {
  id: z.string(),
  org_id: z.string(),
  name: z.string(),
  type: z.string(),
  owner_id: z.string(),
  owner_type: z.enum(["installs", "apps", "app_branches"]),
  owner_name: z.string(),
  role: z.string(),
  plan_only: z.boolean(),
  approval_option: z.enum(["prompt", "approve-all"]),
  step_error_behavior: z
    .literal("abort")
    .openapi({ deprecated: true, description: "Without effect: errors of steps always abort." }),
  status: compositeStatusSchema,
  cancelling: z.boolean().describe("It is cancelled as soon as its jobs have stopped."),
  finished: z.boolean(),
  started_at: instant.nullable(),
  finished_at: instant.nullable(),
  execution_time: z.int().describe("Nanoseconds from its start to its end, or until now."),
  metadata: z.record(z.string(), z.string()),
  composite_error: compositeFaultSchema.optional(),
  parent: z
    .object({ workflow_id: z.string(), step_id: z.string(), kind: z.literal("workflow_step") })
    .optional()
    .describe("The step of another workflow that started it."),
  created_by_id: z.string(),
  created_at: instant,
};
export const workflowSchema = z.object(members).openapi("Workflow");
export type ShownWorkflow = z.infer<typeof workflowSchema>;

export const wholeWorkflowSchema = z
  .object({
    ...members,
    workflow_runs: z.array(runSchema),
    step_groups: z.array(stepGroupSchema),
    steps: z.array(stepSchema).describe("All of them, including those that were replaced."),
  })
  .openapi("WholeWorkflow");
export type WholeWorkflow = z.infer<typeof wholeWorkflowSchema>;

export const workflowStatusSchema = z.enum(workflowStatuses);

export const approvalResponseInput = z
  .strictObject({
    response_type: z.enum(approvalResponseTypes),
    note: z.string().max(4096).default(""),
    plan_digest: z
      .string()
      .regex(/^[0-9a-f]{64}$/, "Must be a SHA-256 in hexadecimal.")
      .optional()
      .describe("412 if it is not the digest of the current plan."),
  })
  .openapi("NewApprovalResponse");

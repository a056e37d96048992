import { z } from "@hono/zod-openapi";
import { compositeStatusSchema } from "./composite-status.ts";
import { installRoleUsages } from "./install-role-usages.ts";
import { logStreamSchema } from "./log-streams.ts";
import { stepSchema } from "./workflow.ts";

const policyValidationSchema = z
  .object({
    id: z.string().describe("That of the report of policies, which has all messages."),
    install_workflow_step_id: z.string(),
    runner_job_id: z.string().describe("The job whose result was judged."),
    status: compositeStatusSchema,
    response: z.string().describe("The verdict in words."),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    created_by_id: z.string(),
  })
  .openapi("WorkflowStepPolicyValidation");
export type StepPolicyValidation = z.infer<typeof policyValidationSchema>;

/** What a single read shows of a step. */
export const wholeStepSchema = stepSchema
  .extend({
    log_stream: logStreamSchema
      .optional()
      .describe("Of its job, once there is one; left out of answers to who has not `logs.read`."),
    policy_validation: policyValidationSchema
      .optional()
      .describe(
        "What policies said of its job's result; left out where none were asked, and of answers to who has not `apps.read`.",
      ),
    install_role_usage: installRoleUsages.itemSchema
      .optional()
      .describe(
        "As whom its job runs, once there is one of an install; left out of answers to who has not `installs.read`.",
      ),
  })
  .openapi("WholeWorkflowStep");
export type WholeStep = z.infer<typeof wholeStepSchema>;

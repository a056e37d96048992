import { z } from "@hono/zod-openapi";
import {
  type EventKind,
  type EventTransition,
  eventTransitionNames,
  eventTypes,
  lifecycleTransitions,
} from "../webhooks/event-resources.ts";
import { approvalResponseTypes } from "../workflow-step.ts";

const workflow = z.object({
  id: z.string().describe("The same in all events of the workflow."),
  type: z.string().openapi({ example: "runner_inactive" }),
  owner_id: z.string().optional().describe("The install, app or app branch that owns it."),
  owner_type: z.enum(["installs", "apps", "app_branches"]).optional(),
});

const step = z.object({
  id: z.string(),
  name: z.string(),
  idx: z.int(),
  target_type: z.string().optional(),
  target_id: z.string().optional(),
  component_id: z.string().optional(),
  sandbox_id: z.string().optional(),
  execution_type: z.enum(["system", "user", "approval", "skipped", "hidden"]),
});

const outcome = z.object({
  status: z.enum(["succeeded", "failed", "cancelled"]),
  error: z.string().optional().describe("Only of failed ones."),
  duration_ms: z.int().min(0),
});

/** Approvals and drift are of steps alone. */
const transitionsOf: Readonly<Record<EventKind, readonly EventTransition[]>> = {
  workflow: lifecycleTransitions,
  workflow_step: eventTransitionNames,
};

function eventOf<Kind extends EventKind, Data extends z.ZodRawShape>(kind: Kind, data: Data) {
  const transition = z.enum(transitionsOf[kind]);
  return z.object({
    specversion: z.literal("1.0"),
    id: z.string().describe("The same at each attempt and repetition."),
    type: z.literal(eventTypes[kind]),
    source: z.string(),
    time: z.iso.datetime(),
    subject: z.string(),
    datacontenttype: z.literal("application/json"),
    svcorgid: z.string(),
    svckind: z.literal(kind),
    svctransition: transition,
    interests: z
      .array(z.string())
      .describe("The slugs that webhooks' interests are matched against."),
    data: z.object({
      kind: z.literal(kind),
      transition,
      org_id: z.string(),
      workflow,
      ...data,
      outcome: outcome.optional().describe("Of terminal events."),
      links: z.record(z.string(), z.string()).describe("URLs of the dashboard."),
    }),
  });
}

const approval = z
  .object({
    id: z.string(),
    type: z.string().describe("What is approved: `noop` is what an action is about to run."),
    expires_at: z.iso.datetime().describe("The same when it is asked for and when it is answered."),
    response_type: z.enum(approvalResponseTypes).optional().describe("Of an answer."),
    note: z.string().optional().describe("The note of the person who answered, if any."),
  })
  .optional()
  .describe("Only of `requested`, `approved` and `rejected`.");

const drift = z
  .object({ added: z.int().min(0), changed: z.int().min(0), removed: z.int().min(0) })
  .optional()
  .describe("Only of `detected`: how many things differ.");

const parent = z
  .object({ workflow_id: z.string(), step_id: z.string(), kind: z.literal("workflow_step") })
  .optional()
  .describe("The step that launched the workflow.");

/** What a webhook gets of a workflow. */
export const workflowEventSchema = eventOf("workflow", { parent }).openapi("WorkflowEvent");

/** What a webhook gets of a step. */
export const workflowStepEventSchema = eventOf("workflow_step", {
  parent,
  step,
  approval,
  drift,
}).openapi("WorkflowStepEvent");

const header = z.string().optional();
const headers = z.object({
  "webhook-id": z.string().describe("The event's id."),
  "webhook-timestamp": z.string().describe("When this attempt was sent, in seconds of Unix time."),
  "webhook-signature": header.describe("As Standard Webhooks has it; of webhooks with a secret."),
  "x-svc-signature": header.describe(
    "The lower-case hexadecimal HMAC-SHA256 of the body; of webhooks with a secret.",
  ),
  "x-svc-webhook-id": z.string().describe("The webhook."),
  "x-svc-delivery-id": header.describe("The delivery; none of a ping."),
  "x-svc-attempt": header.describe("1 for the first attempt; none of a ping."),
  "x-svc-sequence": header.describe("The event's number in its workflow; none of a ping."),
});

/** What webhooks get, for the API's document. */
export const webhookEvents = [
  {
    path: eventTypes.workflow,
    summary: "A workflow",
    description:
      "It has started, succeeded, failed or was cancelled. When the broker gives up a runner process, it is reported as the failure of a workflow of the type " +
      "`runner_inactive`, with the slug `op:runners.inactive`, which has this one event.",
    schema: workflowEventSchema,
  },
  {
    path: eventTypes.workflow_step,
    summary: "A step of a workflow",
    description:
      "It has started, succeeded, failed or was cancelled; or it waits for an approval (`requested`, with `data.approval`), which was given or refused (`approved`, " +
      "`rejected`); or a drift check found drift (`detected`, with `data.drift`).",
    schema: workflowStepEventSchema,
  },
].map(({ path, summary, description, schema }) => ({
  method: "post" as const,
  path,
  summary,
  description,
  tags: ["Webhooks"],
  request: {
    headers,
    body: { content: { "application/cloudevents+json": { schema } } },
  },
  responses: {
    "2XX": { description: "It was delivered." },
    401: { description: "It failed, and is not tried again." },
    410: { description: "It failed, and the webhook is disabled." },
    default: { description: "It is tried again later." },
  },
}));

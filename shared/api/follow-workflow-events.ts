import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { digits } from "./digits.ts";
import { json } from "./response.ts";

const item = z
  .object({
    sequence: z.int().describe("The event's number in its workflow: `X-Svc-Sequence`."),
    body: z.string().describe("A CloudEvent as JSON text, byte for byte as webhooks get it."),
  })
  .openapi("WorkflowEventItem");
export type WorkflowEventItem = z.infer<typeof item>;

export const followWorkflowEventsRoute = createRoute("followWorkflowEvents", {
  get: "/v1/workflow-events",
  rule: { surface: "control-plane", permission: "webhooks.read", unmetered: true, ownPermit: true },
  tags: ["Webhooks"],
  summary: "Follow the events of workflows and their steps that webhooks get",
  description:
    "Each event once, those of a workflow in their order, as the text that a webhook gets: sign these bytes, or compare them. Without `cursor` it starts now; with an empty `cursor`, at the oldest event that is kept. " +
    "Continue with `next_cursor`. The request waits while there is nothing new and returns an empty page when `wait` is over. " +
    "An event is returned once no older transaction can still add one before it.",
  query: z.object({
    cursor: z
      .string()
      .max(200)
      .optional()
      .describe("`next_cursor` of the answer before. Default: from now on."),
    wait: z.string().max(40).optional().describe("At most and by default 25s."),
    limit: digits(1, 500).default(100).describe("How many events an answer has at most."),
    interests: z
      .string()
      .max(16_384)
      .optional()
      .describe("As JSON, like a webhook's: which events."),
    match: z
      .string()
      .max(16_384)
      .optional()
      .describe("As JSON, like a webhook's: of which things."),
  }),
  responses: {
    200: json(
      z
        .object({
          items: z.array(item),
          next_cursor: z.string(),
        })
        .openapi("WorkflowEventPage"),
      "The events since the cursor.",
    ),
  },
});

import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { digits } from "./digits.ts";
import { json } from "./response.ts";

export const followWorkflowEventsRoute = createRoute({
  operationId: "followWorkflowEvents",
  rule: { surface: "control-plane", permission: "webhooks.read", unmetered: true, ownPermit: true },
  method: "get",
  path: "/v1/workflow-events",
  tags: ["Webhooks"],
  summary: "Follow the events of workflows and their steps that webhooks get",
  description:
    "Each event once, those of a workflow in their order, as the text that a webhook gets. Without `cursor` it begins now; with an empty `cursor` at the oldest that is kept. " +
    "Continue with `next_cursor`. The request waits while there is nothing new and returns an empty page when `wait` is over.",
  request: {
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
  },
  responses: {
    200: json(
      z
        .object({
          items: z
            .array(z.string())
            .describe("CloudEvents as JSON texts, byte for byte as webhooks get them."),
          next_cursor: z.string(),
        })
        .openapi("WorkflowEventPage"),
      "The events since the cursor.",
    ),
  },
});

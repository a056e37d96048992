import { z } from "@hono/zod-openapi";
import { eventKinds, eventTransitionNames } from "../webhooks/event-resources.ts";
import { sampleEventNames } from "../webhooks/sample-events.ts";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";
import { webhooks, newWebhookSchema, webhookChangesSchema, webhookPingSchema } from "./webhook.ts";

const tags = ["Webhooks"];
const path = `${webhooks.path}/{webhook_id}` as const;
const writing = { surface: "control-plane", permission: "webhooks.write" } as const;

export const createWebhookRoute = createRoute("createWebhook", {
  post: webhooks.path,
  rule: { ...writing, idempotent: "replay" },
  tags,
  summary: "Create a webhook",
  description:
    "Without `interests` it gets all events, without `match` those of the whole org. 409 `webhook_exists` for a URL and match that another one has, with its `webhook_id`; 409 " +
    "`too_many_webhooks` for the org's 1,001st. 422 `invalid_url`, and `blocked_address` for a URL that this broker may not call.",
  body: newWebhookSchema,
  responses: { 201: json(webhooks.itemSchema, "The webhook.") },
});

export const updateWebhookRoute = createRoute("updateWebhook", {
  patch: path,
  rule: { ...writing, ifMatch: true },
  tags,
  summary: "Change a webhook",
  description:
    "`interests` and `match` are replaced completely. A new secret replaces the previous one, which is also used in `webhook-signature` for 24 hours. With `If-Match`, only if its version (the ETag of a read) is that one: else 412. A change that changes nothing keeps the version. 409 `webhook_exists`, with the other's `webhook_id`; 422 `immutable_field` for the URL, and `blocked_address` while this broker may not call it.",
  body: webhookChangesSchema,
  responses: { 200: json(webhooks.itemSchema, "The webhook.") },
});

export const deleteWebhookRoute = createRoute("deleteWebhook", {
  delete: path,
  rule: writing,
  tags,
  summary: "Delete a webhook",
  description: "Nothing more is delivered to it.",
  responses: { 204: { description: "It was deleted." } },
});

export const pingWebhookRoute = createRoute("pingWebhook", {
  post: `${path}/ping`,
  rule: { ...writing, ownPermit: true },
  tags,
  summary: "Send a webhook a sample event",
  description:
    "It is sent once, immediately, whatever the webhook's interests are; its id starts with `ping-`. The answer is 200 with the result, even if the receiver failed. If it arrives, a disabled webhook is enabled, and with " +
    "`resend=failed` up to 10,000 deliveries that failed are sent again. 429 `too_many_calls` when the org has too many calls in " +
    "progress.",
  query: z.object({
    resend: z.enum(["failed"]).optional().describe("Send again what failed, if it arrives."),
    event: z
      .enum(sampleEventNames)
      .optional()
      .describe("What the sample is about. Default: installs.provision."),
    kind: z
      .enum(eventKinds)
      .optional()
      .describe(
        "An event of a workflow or of a step. Default: of a workflow, if it has this event.",
      ),
    transition: z
      .enum(eventTransitionNames)
      .optional()
      .describe("Its transition. Default: succeeded, or the only one there is."),
  }),
  responses: { 200: json(webhookPingSchema, "The result.") },
});

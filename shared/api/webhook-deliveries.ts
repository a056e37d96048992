import { z } from "@hono/zod-openapi";
import { created, is } from "../resources/filters.ts";
import { flag, instant, int, like, orNull, text, word } from "../resources/members.ts";
import { type ItemOf, resource } from "../resources/resource.ts";
import { type EventKind, eventTransitionNames, eventTypes } from "../webhooks/event-resources.ts";
import { createRoute } from "./create-route.ts";
import { instantInput } from "./instant.ts";
import { json } from "./response.ts";
import { webhookAttemptSchema } from "./webhook.ts";

const tags = ["Webhooks"];
const path = "/v1/orgs/current/webhooks/{webhook_id}";
const reading = { surface: "control-plane", permission: "webhooks.read" } as const;
const writing = {
  surface: "control-plane",
  permission: "webhooks.write",
  idempotent: "replay",
} as const;

const statuses = ["pending", "delivered", "failed"] as const;

export const webhookDeliveries = resource({
  noun: "delivery",
  plural: "deliveries",
  schema: "WebhookDelivery",
  tag: "Webhooks",
  prefix: "whd",
  param: "delivery_id",
  path: `${path}/deliveries`,
  under: ["webhook"],
  surface: "control-plane",
  read: "webhooks.read",
  opens: ["list"],
  bound: "path",
  says: { list: "List deliveries to a webhook" },
  members: {
    id: like(text(), "whd_01k9zq5v3t8w2x4y6z8a0b2c4d"),
    webhook_id: text(),
    event_id: text(),
    event_type: {
      schema: z.enum(eventTypes),
      kind: "text",
      show: (kind: EventKind) => eventTypes[kind],
    },
    transition: word(eventTransitionNames),
    workflow_id: text(),
    sequence: int("Of the event in its workflow: `X-Svc-Sequence`."),
    status: word(statuses),
    attempts: int(),
    is_detached: flag("It no longer holds up later events of its workflow."),
    is_resent: flag("It was sent again by hand: it is tried once."),
    response_status: orNull(int(), "Of the last attempt."),
    error_code: orNull(text(), "Of the last attempt, or `webhook_disabled`."),
    next_attempt_at: orNull(instant()),
    last_attempt_at: orNull(instant()),
    created_at: instant(),
    finished_at: orNull(instant()),
  },
  filters: {
    status: is("status", z.enum(statuses).optional().describe("Only deliveries in this status.")),
    since: {
      ...created.created_at_gte,
      schema: instantInput.optional().describe("As created_at_gte."),
    },
    ...created,
  },
});
export type Delivery = ItemOf<typeof webhookDeliveries>;

const shownDeliverySchema = z
  .object({
    ...webhookDeliveries.itemSchema.shape,
    body: z.string().describe("What is sent, byte for byte."),
    attempt_log: z.array(webhookAttemptSchema).describe("The last 100 attempts, the oldest first."),
  })
  .openapi("ShownWebhookDelivery");
export type ShownDelivery = z.infer<typeof shownDeliverySchema>;

const one = `${webhookDeliveries.path}/{delivery_id}` as const;

export const getDeliveryRoute = createRoute("getWebhookDelivery", {
  get: one,
  rule: reading,
  tags,
  summary: "Read a delivery",
  responses: { 200: json(shownDeliverySchema, "The delivery, what was sent, and its attempts.") },
});

export const resendDeliveryRoute = createRoute("resendWebhookDelivery", {
  post: `${one}/resend`,
  rule: writing,
  tags,
  summary: "Send a delivery again",
  description:
    "The same bytes with the same event id, once: it is not tried again. 409 `delivery_pending` for one that is not over; 409 `webhook_disabled`: ping it first.",
  responses: { 202: json(webhookDeliveries.itemSchema, "The delivery.") },
});

const resendBody = z
  .strictObject({
    status: z.enum(["delivered", "failed"]).default("failed"),
    since: instantInput.optional().describe("Made at this time or later."),
    until: instantInput.optional().describe("Made before this time."),
    workflow_id: z.string().min(1).max(100).optional(),
  })
  .openapi("ResendDeliveries");
export type ResendDeliveries = z.infer<typeof resendBody>;

export const resendDeliveriesRoute = createRoute("resendWebhookDeliveries", {
  post: `${path}/resend`,
  rule: writing,
  tags,
  summary: "Send many deliveries again",
  description:
    "By default those that failed, at most 10,000 per request, each once, oldest first. 409 `webhook_disabled`: ping it first.",
  body: resendBody,
  responses: {
    202: json(
      z.object({
        resent: z.int(),
        has_more: z.boolean().describe("There may be more: select them with since and until."),
      }),
      "How many will be sent.",
    ),
  },
});

import { z } from "@hono/zod-openapi";
import { eventTransitionNames, eventTypes } from "../webhooks/event-resources.ts";
import { createRoute } from "./create-route.ts";
import { idParam } from "./id-param.ts";
import { instantInput } from "./instant.ts";
import { createdQuery, listingDescription, listingOf, listingQuery } from "./listing.ts";
import { json, jsonBody } from "./response.ts";
import { webhooks, webhookAttemptSchema } from "./webhook.ts";

const tags = ["Webhooks"];
const path = "/v1/orgs/current/webhooks/{webhook_id}";
const one = `${path}/deliveries/{delivery_id}` as const;
const params = webhooks.params.extend({ delivery_id: idParam("delivery_id", "whd") });
const reading = { surface: "control-plane", permission: "webhooks.read" } as const;
const writing = {
  surface: "control-plane",
  permission: "webhooks.write",
  idempotent: "replay",
} as const;

const statuses = ["pending", "delivered", "failed"] as const;
const instant = z.iso.datetime();

const delivery = z.object({
  id: z.string().openapi({ example: "whd_01k9zq5v3t8w2x4y6z8a0b2c4d" }),
  webhook_id: z.string(),
  event_id: z.string(),
  event_type: z.enum(eventTypes),
  transition: z.enum(eventTransitionNames),
  workflow_id: z.string(),
  sequence: z.int().describe("Of the event in its workflow: `X-Svc-Sequence`."),
  status: z.enum(statuses),
  attempts: z.int(),
  is_detached: z.boolean().describe("It no longer holds up later events of its workflow."),
  is_resent: z.boolean().describe("Somebody had it made once more: it is tried once."),
  response_status: z.int().nullable().describe("Of the last attempt."),
  error_code: z.string().nullable().describe("Of the last attempt, or `webhook_disabled`."),
  next_attempt_at: instant.nullable(),
  last_attempt_at: instant.nullable(),
  created_at: instant,
  finished_at: instant.nullable(),
});

export const deliverySchema = delivery.openapi("WebhookDelivery");
export type Delivery = z.infer<typeof deliverySchema>;

const shownDeliverySchema = delivery
  .extend({
    body: z.string().describe("What is sent, byte for byte."),
    attempt_log: z.array(webhookAttemptSchema).describe("The last 100 attempts, the oldest first."),
  })
  .openapi("ShownWebhookDelivery");
export type ShownDelivery = z.infer<typeof shownDeliverySchema>;

export const listDeliveriesRoute = createRoute({
  operationId: "listWebhookDeliveries",
  rule: reading,
  method: "get",
  path: `${path}/deliveries`,
  tags,
  summary: "List deliveries to a webhook",
  description: listingDescription,
  request: {
    params: webhooks.params,
    query: z.object({
      ...listingQuery,
      status: z.enum(statuses).optional().describe("Only deliveries in this status."),
      since: instantInput.optional().describe("As created_at_gte."),
      ...createdQuery,
    }),
  },
  responses: { 200: json(listingOf(deliverySchema), "Deliveries.") },
});

export const getDeliveryRoute = createRoute({
  operationId: "getWebhookDelivery",
  rule: reading,
  method: "get",
  path: one,
  tags,
  summary: "Read a delivery",
  request: { params },
  responses: { 200: json(shownDeliverySchema, "The delivery, what was sent, and its attempts.") },
});

export const resendDeliveryRoute = createRoute({
  operationId: "resendWebhookDelivery",
  rule: writing,
  method: "post",
  path: `${one}/resend`,
  tags,
  summary: "Send a delivery again",
  description:
    "The same bytes with the same event id, once: it is not tried again. 409 `delivery_pending` for one that is not over; 409 `webhook_disabled`: ping it first.",
  request: { params },
  responses: { 202: json(deliverySchema, "The delivery.") },
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

export const resendDeliveriesRoute = createRoute({
  operationId: "resendWebhookDeliveries",
  rule: writing,
  method: "post",
  path: `${path}/resend`,
  tags,
  summary: "Send many deliveries again",
  description:
    "Those that failed unless told, at most 10,000 a request, each once, the oldest first. 409 `webhook_disabled`: ping it first.",
  request: { params: webhooks.params, body: jsonBody(resendBody) },
  responses: {
    202: json(
      z.object({
        resent: z.int(),
        has_more: z.boolean().describe("There may be more: choose them by since and until."),
      }),
      "How many will be sent.",
    ),
  },
});

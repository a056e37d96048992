import { z } from "@hono/zod-openapi";
import { created, is, part } from "../resources/filters.ts";
import { flag, instant, int, json, like, orNull, owned, text, word } from "../resources/members.ts";
import { type ItemOf, resource } from "../resources/resource.ts";
import {
  type EventResource,
  eventResourceNames,
  eventResources,
  interestOutcomes,
} from "../webhooks/event-resources.ts";
import { interestsSchema } from "../webhooks/interests.ts";
import { matchSchema } from "../webhooks/match.ts";

const mostSecretBytes = 256;

const secret = z
  .string()
  .min(1)
  .refine((text) => Buffer.byteLength(text) <= mostSecretBytes, {
    params: { code: "too_big" },
    message: `A secret has at most ${mostSecretBytes} bytes.`,
  })
  .describe("Signs each delivery. Never shown again; of deliveries, only by its signatures.");

const url = z
  .string()
  .min(1)
  .describe(
    "Absolute, http or https, with a host; without a user name, a password and a fragment.",
  );

const immutableUrl = z
  .unknown()
  .refine((given) => given === undefined, {
    params: { code: "immutable_field" },
    message: "The URL of a webhook does not change. Delete it and create another.",
  })
  .optional()
  .openapi({ type: "string", description: "Refused: `immutable_field`." });

type Aliased = Readonly<Record<string, unknown>>;

/** A member under both of its names is one too many. */
function givenTwice(given: Aliased, ctx: z.RefinementCtx, names: readonly [string, string]): void {
  if (given[names[0]] === undefined || given[names[1]] === undefined) return;
  ctx.addIssue({
    code: "custom",
    path: [names[1]],
    params: { code: "given_twice" },
    message: `This is another name of ${names[0]}. Give one of them.`,
  });
}

/** A new webhook, under whichever of its members' names. */
export const newWebhookSchema = z
  .strictObject({
    webhook_url: url.optional(),
    url: url.optional().describe("Another name of `webhook_url`."),
    webhook_secret: secret.optional(),
    secret: secret.optional().describe("Another name of `webhook_secret`."),
    interests: interestsSchema.optional(),
    match: matchSchema.optional(),
  })
  .superRefine((given, ctx) => {
    givenTwice(given, ctx, ["webhook_url", "url"]);
    givenTwice(given, ctx, ["webhook_secret", "secret"]);
    if (given.webhook_url !== undefined || given.url !== undefined) return;
    const params = { code: "required" };
    ctx.addIssue({
      code: "custom",
      path: ["webhook_url"],
      params,
      message: "Required. Must be a string.",
    });
  })
  .openapi("NewWebhook", {
    example: {
      webhook_url: "https://example.com/hooks",
      interests: { resources: { runners: { ops: ["inactive"] } } },
    },
  });
export type NewWebhook = z.infer<typeof newWebhookSchema>;

/** What may be changed of a webhook. */
export const webhookChangesSchema = z
  .strictObject({
    interests: interestsSchema.optional(),
    match: matchSchema.optional(),
    webhook_secret: secret.optional(),
    secret: secret.optional().describe("Another name of `webhook_secret`."),
    webhook_url: immutableUrl,
    url: immutableUrl,
  })
  .superRefine((given, ctx) => givenTwice(given, ctx, ["webhook_secret", "secret"]))
  .openapi("WebhookChanges");
export type WebhookChanges = z.infer<typeof webhookChangesSchema>;

const shownInterest = (resource: EventResource) =>
  z.object({
    ops: z.array(z.enum(eventResources[resource])),
    outcome: z.enum(interestOutcomes),
    approval_requests: z.boolean(),
    approval_responses: z.boolean(),
    drift_detected: z.boolean(),
  });

const shownMatch = z
  .object({
    ids: z.array(z.string()).optional(),
    selector: z.object({ match_labels: z.record(z.string(), z.string()) }).optional(),
  })
  .optional();

/** How webhooks do. */
export const webhookStates = ["active", "failing", "disabled"] as const;
export type WebhookState = (typeof webhookStates)[number];

export const webhooks = resource({
  noun: "webhook",
  plural: "webhooks",
  schema: "CurrentOrgWebhookResponse",
  tag: "Webhooks",
  prefix: "whk",
  param: "webhook_id",
  path: "/v1/orgs/current/webhooks",
  under: [],
  surface: "control-plane",
  read: "webhooks.read",
  opens: ["list", "get"],
  bound: "path",
  members: {
    ...owned,
    id: like(text(), "whk_01k9zq5v3t8w2x4y6z8a0b2c4d"),
    webhook_url: text(),
    url: text("The same as `webhook_url`."),
    has_secret: flag(),
    interests: json(
      z.object({
        all_events: z.literal(true).optional(),
        resources: z
          .object(
            Object.fromEntries(
              eventResourceNames.map((name) => [name, shownInterest(name).optional()]),
            ),
          )
          .optional(),
      }),
      "In their one form: all events, or the resources whose events are delivered.",
    ),
    match: orNull(
      json(z.object({ installs: shownMatch, components: shownMatch, actions: shownMatch })),
      "Null: everything in the org.",
    ),
    previous_secret_until: orNull(
      instant(),
      "After a rotation: until then `webhook-signature` also has the previous secret's.",
    ),
    disabled_at: orNull(instant(), "Nothing is delivered since then, until a ping arrives."),
    disabled_reason: orNull(
      word(["gone", "failing"]),
      "gone: it answered 410; failing: nothing arrived for a day, and 20 events failed.",
    ),
    failing_since: orNull(instant(), "The first failure after the last delivery that arrived."),
    failing_events: int("Events that have failed since then."),
    created_at: instant(),
    updated_at: instant(),
    created_by_id: text(),
  },
  filters: {
    ...created,
    q: part("url", "A part of the URL."),
    state: is(
      "state",
      z
        .enum(webhookStates)
        .optional()
        .describe("failing: no delivery has arrived since one failed."),
    ),
  },
});
export type Webhook = ItemOf<typeof webhooks>;

/** One try to deliver an event. */
export const webhookAttemptSchema = z
  .object({
    webhook_id: z.string(),
    event_id: z.string().describe("The event's `id`; that of a ping begins with `ping-`."),
    delivery_id: z.string().nullable().describe("Null of a ping."),
    number: z.int().describe("Of the attempts of its delivery: `X-Svc-Attempt`."),
    result: z.enum(["delivered", "failed"]),
    started_at: z.iso.datetime(),
    duration_ms: z.int(),
    response_status: z.int().nullable().describe("Null when there was no answer."),
    response_body: z.string().nullable().describe("Its first 16 KiB."),
    error_code: z
      .string()
      .nullable()
      .describe("status, redirect, timeout, dns, refused, reset, tls, blocked_address …"),
    error: z.string().nullable(),
  })
  .openapi("WebhookAttempt");
export type WebhookAttempt = z.infer<typeof webhookAttemptSchema>;

/** What came of a ping. */
export const webhookPingSchema = webhookAttemptSchema
  .extend({
    is_enabled_again: z
      .boolean()
      .describe("It was disabled, and is enabled since the ping arrived."),
    resent: z.int().describe("How many failed deliveries are sent again."),
  })
  .openapi("WebhookPing");
export type WebhookPing = z.infer<typeof webhookPingSchema>;

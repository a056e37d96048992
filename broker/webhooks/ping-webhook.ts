import { randomUUID } from "node:crypto";
import type { WebhookPing } from "../../shared/api/webhook.ts";
import { Problem } from "../../shared/problem.ts";
import { type Sample, sampleEvent } from "../../shared/webhooks/sample-events.ts";
import type { Broker } from "../broker.ts";
import { toEnvelope } from "../events/to-envelope.ts";
import type { WithPermit } from "../limits/permits.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { notePing } from "./delivery-queries.ts";
import { requireWebhook } from "./require-webhook.ts";
import { resendDeliveries } from "./resend-deliveries.ts";
import { sendEvent } from "./send-event.ts";

type Ping = {
  readonly id: string;
  readonly sample: Sample;
  /** When it arrives, what has failed is sent again. */
  readonly resendsFailed: boolean;
  readonly withPermit: WithPermit;
};

/**
 * Sends a webhook a sample event, once, and answers what came of it; 429 when the org has no room for the call. When it arrives, the webhook
 * is as good as new: it is enabled if it was disabled.
 */
export async function pingWebhook(
  broker: Pick<Broker, "db" | "egress" | "seals" | "wakes">,
  orgId: OrgId,
  { id, sample, resendsFailed, withPermit }: Ping,
): Promise<WebhookPing> {
  const webhook = await withPermit(() => requireWebhook(broker.db, orgId, id));
  const eventId = `ping-${randomUUID()}`;
  const sent = await sendEvent(broker, orgId, webhook, {
    eventId,
    body: await toEnvelope(sampleEvent(sample, { orgId, id: eventId, at: new Date() })),
    headers: {},
  });
  if (sent === "aborted" || "kind" in sent) throw noRoom();
  const { retryAfterMs: _, ...attempt } = sent;
  const told = { webhook_id: id, event_id: eventId, delivery_id: null, number: 1, ...attempt };
  if (sent.result === "failed") return { ...told, is_enabled_again: false, resent: 0 };
  return await withPermit(async () => {
    const isEnabledAgain = await notePing(broker.db, orgId, id);
    const filter = { status: "failed" } as const;
    const { resent } = resendsFailed
      ? await resendDeliveries(broker, orgId, { webhookId: id, filter })
      : { resent: 0 };
    return { ...told, is_enabled_again: isEnabledAgain, resent };
  });
}

const noRoom = (): Problem =>
  new Problem({
    status: 429,
    code: "too_many_calls",
    detail: "This org has too many calls in progress or waiting at this broker. Try again soon.",
    headers: { "retry-after": "5" },
  });

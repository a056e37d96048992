import type { WebhookAttempt } from "../../shared/api/webhook.ts";
import type { Broker } from "../broker.ts";
import type { CallOutcome, Deferred } from "../egress/egress.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { WebhookRow } from "./row.ts";
import { openSecrets } from "./secrets.ts";

const connectTimeoutMs = 3000;
const timeoutMs = 15_000;

type Receiver = Pick<
  WebhookRow,
  "id" | "url" | "key_id" | "secret" | "previous_key_id" | "previous_secret" | "previous_until"
>;

/** An event on its way: its bytes as they are kept, and what headers tell besides. */
export type Sending = {
  readonly eventId: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

/** What came of a try to deliver. */
export type Attempt = Omit<WebhookAttempt, "webhook_id" | "event_id" | "delivery_id" | "number"> & {
  readonly retryAfterMs: number | undefined;
};

/** Sends an event once, signed; `deferred` when nothing was sent, for want of room or since the caller gave up. */
export async function sendEvent(
  { egress, seals }: Pick<Broker, "egress" | "seals">,
  orgId: OrgId,
  receiver: Receiver,
  { eventId, body, headers, signal }: Sending,
): Promise<Attempt | Deferred | "aborted"> {
  const startedAt = new Date();
  const startedMs = performance.now();
  const outcome = await egress.callOut(orgId, {
    agent: "svc-webhooks",
    url: receiver.url,
    method: "POST",
    headers: {
      "content-type": "application/cloudevents+json; charset=utf-8",
      "x-svc-webhook-id": receiver.id,
      ...headers,
    },
    body,
    signing: { id: eventId, ...openSecrets(seals, { orgId, id: receiver.id }, receiver) },
    timeoutMs,
    connectTimeoutMs,
    ...(signal && { signal }),
  });
  if (outcome.kind === "deferred") return outcome;
  if (outcome.kind === "failed" && outcome.reason === "aborted") return "aborted";
  return {
    started_at: startedAt.toISOString(),
    duration_ms: Math.round(performance.now() - startedMs),
    ...toResult(outcome),
  };
}

type Ended = Exclude<CallOutcome, Deferred>;

function toResult(outcome: Ended): Omit<Attempt, "started_at" | "duration_ms"> {
  if (outcome.kind === "failed") {
    return {
      result: "failed",
      response_status: null,
      response_body: null,
      error_code: outcome.reason,
      error: outcome.detail,
      retryAfterMs: undefined,
    };
  }
  const { status, body, retryAfterMs } = outcome;
  const answered = { response_status: status, response_body: body, retryAfterMs };
  if (status >= 200 && status < 300) {
    return { ...answered, result: "delivered", error_code: null, error: null };
  }
  const isRedirect = status >= 300 && status < 400;
  return {
    ...answered,
    result: "failed",
    error_code: isRedirect ? "redirect" : "status",
    error: isRedirect
      ? `It was answered with a redirect (${status}), which is not followed.`
      : `It was answered with status ${status}.`,
  };
}

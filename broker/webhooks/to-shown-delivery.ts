import type { Delivery, ShownDelivery } from "../../shared/api/webhook-deliveries.ts";
import type { WebhookAttempt } from "../../shared/api/webhook.ts";
import type { AttemptRow } from "./delivery-queries.ts";

/** A delivery with what was sent and the attempts. */
export function toShownDelivery(
  delivery: Delivery,
  body: string,
  attempts: readonly AttemptRow[],
): ShownDelivery {
  return {
    ...delivery,
    body,
    attempt_log: attempts.map((attempt) => toAttempt(delivery, attempt)),
  };
}

function toAttempt(delivery: Delivery, attempt: AttemptRow): WebhookAttempt {
  return {
    webhook_id: delivery.webhook_id,
    event_id: delivery.event_id,
    delivery_id: delivery.id,
    number: attempt.n,
    result: attempt.result,
    started_at: attempt.started_at.toISOString(),
    duration_ms: attempt.duration_ms,
    response_status: attempt.response_status,
    response_body: attempt.response_body,
    error_code: attempt.error_code,
    error: attempt.error,
  };
}

import type { Delivery, ShownDelivery } from "../../shared/api/webhook-deliveries.ts";
import type { WebhookAttempt } from "../../shared/api/webhook.ts";
import { eventTypes } from "../../shared/webhooks/event-resources.ts";
import type { AttemptRow } from "./delivery-queries.ts";
import type { DeliveryRow } from "./delivery-row.ts";

/** A delivery as the API shows it. */
export function toDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    webhook_id: row.webhook_id,
    event_id: row.event_id,
    event_type: eventTypes[row.kind],
    transition: row.transition,
    workflow_id: row.workflow_id,
    sequence: row.seq,
    status: row.status,
    attempts: row.attempts,
    is_detached: row.stream === row.id,
    is_resent: row.is_resent,
    response_status: row.response_status,
    error_code: row.error_code,
    next_attempt_at: row.next_at?.toISOString() ?? null,
    last_attempt_at: row.last_attempt_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}

/** The same with what was sent and the attempts. */
export function toShownDelivery(
  row: DeliveryRow & { readonly body: string },
  attempts: readonly AttemptRow[],
): ShownDelivery {
  return {
    ...toDelivery(row),
    body: row.body,
    attempt_log: attempts.map((attempt) => toAttempt(row, attempt)),
  };
}

function toAttempt(row: DeliveryRow, attempt: AttemptRow): WebhookAttempt {
  return {
    webhook_id: row.webhook_id,
    event_id: row.event_id,
    delivery_id: row.id,
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

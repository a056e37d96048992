import type { Webhook } from "../../shared/api/webhook.ts";
import type { Interests } from "../../shared/webhooks/interests.ts";
import type { Match } from "../../shared/webhooks/match.ts";
import type { WebhookRow } from "./row.ts";

/** A webhook as the API shows it, which is without its secrets. */
export function toWebhook(row: WebhookRow): Webhook {
  return {
    id: row.id,
    org_id: row.org_id,
    url: row.url,
    has_secret: row.secret !== null,
    interests: JSON.parse(row.interests) as Interests & Webhook["interests"], // stored in its one form
    match: row.match === null ? null : (JSON.parse(row.match) as Match & Webhook["match"]), // likewise
    previous_secret_until: row.previous_until?.toISOString() ?? null,
    disabled_at: row.disabled_at?.toISOString() ?? null,
    disabled_reason: row.disabled_reason,
    failing_since: row.failing_since?.toISOString() ?? null,
    failing_events: row.failing_events,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    created_by_id: row.created_by_id,
  };
}

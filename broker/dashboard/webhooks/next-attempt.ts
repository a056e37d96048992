import { html } from "hono/html";
import type { Delivery } from "../../../shared/api/webhook-deliveries.ts";
import type { Html } from "../page.ts";
import { timeAgo } from "../parts/time.ts";

/** When a delivery is tried next; one that is due already waits for its place behind earlier events of its workflow. */
export function nextAttempt(
  { next_attempt_at: at }: Pick<Delivery, "next_attempt_at">,
  nowMs: number,
): Html {
  if (at === null || Date.parse(at) > nowMs) return timeAgo(at, nowMs);
  return html`<span title="Events of a workflow are sent one after the other.">in its turn</span>`;
}

import { html } from "hono/html";
import { getDeliveryRoute } from "../../../shared/api/webhook-deliveries.ts";
import type { WebhookAttempt } from "../../../shared/api/webhook.ts";
import type { Html, Page } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { choices, crumbs, heading } from "../parts/choices.ts";
import { jsonBlock } from "../parts/code-block.ts";
import { facts } from "../parts/facts.ts";
import { table } from "../parts/table.ts";
import { timeAgo, timeAt } from "../parts/time.ts";
import { nextAttempt } from "./next-attempt.ts";

/** GET /webhooks/{webhook_id}/deliveries/{delivery_id}: what was sent, and what came of each attempt. */
export const showDelivery: Page = {
  path: "/webhooks/{webhook_id}/deliveries/{delivery_id}",
  permission: "webhooks.read",
  async render(view) {
    const params = {
      webhook_id: view.param("webhook_id"),
      delivery_id: view.param("delivery_id"),
    };
    const delivery = await view.ask(getDeliveryRoute, { params });
    const webhookAt = `/webhooks/${delivery.webhook_id}`;
    return {
      title: `Delivery ${delivery.id}`,
      live: delivery.status === "pending" ? ["minute"] : [],
      main: html`${crumbs(["Webhooks", "/webhooks"], [delivery.webhook_id, webhookAt])}
        ${heading("Delivery", delivery.id, badge(delivery.status))}
        ${choices(view, [
          {
            label: "Send it again",
            to: `${webhookAt}/deliveries/${delivery.id}/resend`,
            permission: "webhooks.write",
            isOpen: delivery.status !== "pending",
          },
        ])}
        ${facts([
          ["Event", html`<span class="id">${delivery.event_id}</span>`],
          ["Type", delivery.event_type],
          ["Transition", delivery.transition],
          ["Workflow", html`<span class="id">${delivery.workflow_id}</span>`],
          ["Number in its workflow", String(delivery.sequence)],
          ["Error", delivery.error_code ?? "–"],
          ["Made", timeAgo(delivery.created_at, view.nowMs)],
          ["Next attempt", nextAttempt(delivery, view.nowMs)],
        ])}
        <h2>Attempts</h2>
        ${attemptTable(delivery.attempt_log)}
        <h2>What is sent</h2>
        ${jsonBlock("What is sent", delivery.body)}`,
    };
  },
};

function attemptTable(attempts: readonly WebhookAttempt[]): Html {
  if (attempts.length === 0) return html`<p class="dim">None yet.</p>`;
  return table(
    "The last 100 attempts, the oldest first",
    [
      { head: "Number", cell: ({ number }) => number },
      { head: "Result", cell: ({ result }) => badge(result) },
      { head: "Answer", cell: ({ response_status: status }) => status ?? "none" },
      { head: "At", cell: ({ started_at: at }) => timeAt(at) },
      { head: "Took", kind: "figure", cell: ({ duration_ms: ms }) => `${ms} ms` },
      { head: "Error", cell: ({ error }) => error ?? "–" },
      {
        head: "It said",
        kind: "minor",
        cell: ({ response_body: body }) => html`<code>${(body ?? "").slice(0, 200)}</code>`,
      },
    ],
    attempts,
  );
}

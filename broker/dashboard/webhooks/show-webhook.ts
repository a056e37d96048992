import { html } from "hono/html";
import { type Delivery, webhookDeliveries } from "../../../shared/api/webhook-deliveries.ts";
import { type Webhook, webhooks } from "../../../shared/api/webhook.ts";
import { recentAudit } from "../audit/audit-table.ts";
import type { Html, Page, View } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { choices, heading } from "../parts/choices.ts";
import { jsonBlock } from "../parts/code-block.ts";
import { facts } from "../parts/facts.ts";
import { filterForm, isFiltered, readFilters } from "../parts/filters.ts";
import { listed, pageAsked } from "../parts/listed.ts";
import { empty, pager, table } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";
import { nextAttempt } from "./next-attempt.ts";
import { matchWords, wantsWords, webhookBadge } from "./webhook-words.ts";

const filters = {
  status: { label: "Status", values: ["pending", "delivered", "failed"] },
} as const;

/** GET /webhooks/{webhook_id}: what a webhook wants, and what was delivered to it. */
export const showWebhook: Page = {
  path: "/webhooks/{webhook_id}",
  permission: "webhooks.read",
  async render(view) {
    const params = { webhook_id: view.param("webhook_id") };
    const query = pageAsked(readFilters(view.query, filters));
    const [webhook, answer] = await Promise.all([
      view.ask(webhooks.get, { params }),
      view.ask(webhookDeliveries.list, { params, query }),
    ]);
    const deliveries = listed(answer);
    const at = `/webhooks/${webhook.id}`;
    const permission = "webhooks.write";
    return {
      title: webhook.url,
      live: view.query.has("cursor") ? [] : ["minute"],
      main: html`${heading(webhook.url, webhook.id, webhookBadge(webhook))}
        ${trouble(webhook, view)}
        ${choices(view, [
          { label: "Ping", to: `${at}/ping`, permission },
          {
            label: "Send again what failed",
            to: `${at}/resend`,
            permission,
            isOpen: webhook.disabled_at === null,
          },
          { label: "Delete", to: `${at}/delete`, permission },
        ])}
        ${webhookFacts(webhook, view)}
        <h2>Deliveries</h2>
        ${filterForm(at, view.query, filters)}
        ${
          deliveries.items.length === 0
            ? empty(...noDeliveries(view))
            : deliveryTable(deliveries.items, view.nowMs)
        }
        ${pager(view.address, deliveries.next_cursor)} ${await recentAudit(view, webhook.id)}`,
    };
  },
};

const noDeliveries = ({ query }: View): [string, string] =>
  isFiltered(query, filters)
    ? ["No delivery fits these filters", "Clear them to see all."]
    : ["No deliveries yet", "An event that the webhook wants makes one. A ping tries it now."];

function trouble(webhook: Webhook, { nowMs }: View): Html | string {
  const { disabled_at: at, disabled_reason: reason, failing_since: since } = webhook;
  if (at !== null) {
    const why = reason === "gone" ? "its receiver answered 410" : "nothing arrived for a day";
    return html`<p class="notes">
      Disabled ${timeAgo(at, nowMs)}, as ${why}. A ping that arrives enables it again.
    </p>`;
  }
  if (since === null) return "";
  return html`<p class="notes">
    Nothing has arrived since ${timeAgo(since, nowMs)}; ${webhook.failing_events} events failed.
  </p>`;
}

function webhookFacts(webhook: Webhook, { nowMs }: View): Html {
  const { match, has_secret: has, previous_secret_until: until } = webhook;
  return html`${facts([
    ["Wants", wantsWords(webhook)],
    ["Of", matchWords(webhook)],
    ["Signed", has ? "yes" : "no"],
    ["Previous secret valid until", until === null ? "–" : timeAgo(until, nowMs)],
    ["Created", timeAgo(webhook.created_at, nowMs)],
  ])}
  ${match === null ? "" : jsonBlock("What it matches", JSON.stringify(match))}`;
}

function deliveryTable(deliveries: readonly Delivery[], nowMs: number): Html {
  return table(
    "Deliveries, the newest first",
    [
      {
        head: "Delivery",
        cell: ({ id, webhook_id: webhook }) =>
          html`<a class="id" href="/webhooks/${webhook}/deliveries/${id}">${id}</a>`,
      },
      { head: "Status", cell: ({ status }) => badge(status) },
      { head: "Event", cell: ({ transition }) => transition },
      {
        head: "Answer",
        cell: ({ response_status: status, error_code: code }) => status ?? code ?? "–",
      },
      { head: "Attempts", kind: "figure", cell: ({ attempts }) => attempts },
      {
        head: "Workflow",
        kind: "minor",
        cell: ({ workflow_id: id, sequence }) =>
          html`<span class="id">${id}</span> event ${sequence}`,
      },
      { head: "Made", cell: ({ created_at: at }) => timeAgo(at, nowMs) },
      { head: "Next", kind: "minor", cell: (delivery) => nextAttempt(delivery, nowMs) },
    ],
    deliveries,
  );
}

import { html } from "hono/html";
import { type Webhook, webhooks, webhookStates } from "../../../shared/api/webhook.ts";
import { webhookCharts } from "../charts/activity-charts.ts";
import type { Html } from "../page.ts";
import { listPage } from "../parts/list-page.ts";
import { listed, pageAsked } from "../parts/listed.ts";
import { table } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";
import { matchWords, wantsWords, webhookBadge } from "./webhook-words.ts";

/** GET /webhooks: where the org's events are delivered, and whether they arrive. */
export const listWebhooks = listPage({
  path: "/webhooks",
  permission: "webhooks.read",
  title: "Webhooks",
  icon: "webhooks",
  one: "webhook",
  filters: {
    state: { label: "State", values: webhookStates },
    q: { label: "URL", placeholder: "a part of it" },
  },
  read: async (view, query) => listed(await view.ask(webhooks.list, { query: pageAsked(query) })),
  show: async (items, view) =>
    html`${webhookTable(items, view.nowMs)} ${await webhookCharts(view)}`,
  whenNone: html`Create one: <code>svc webhook create --to URL</code>`,
  live: ["minute"],
});

function webhookTable(webhooks: readonly Webhook[], nowMs: number): Html {
  return table(
    "Webhooks, the newest first",
    [
      { head: "URL", cell: ({ id, url }) => html`<a href="/webhooks/${id}">${url}</a>` },
      { head: "State", cell: webhookBadge },
      { head: "Wants", cell: wantsWords },
      { head: "Of", kind: "minor", cell: matchWords },
      { head: "Signed", kind: "minor", cell: ({ has_secret: has }) => (has ? "yes" : "no") },
      { head: "Failed", kind: "figure", cell: ({ failing_events: count }) => count },
      { head: "Created", kind: "minor", cell: ({ created_at: at }) => timeAgo(at, nowMs) },
    ],
    webhooks,
  );
}

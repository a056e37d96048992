import {
  getDeliveryRoute,
  webhookDeliveries,
  resendDeliveriesRoute,
  resendDeliveryRoute,
} from "../../shared/api/webhook-deliveries.ts";
import { webhooks, webhookStates } from "../../shared/api/webhook.ts";
import { pingWebhookRoute } from "../../shared/api/webhooks.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { defineCommand } from "../command.ts";
import { readInstant } from "../flags/read-flags.ts";
import { defineList } from "../lists/define-list.ts";
import { pageOfListing, pagesOfListing } from "../lists/listing-pages.ts";
import { printItem } from "../output/print.ts";
import { webhookArgs as args } from "./manage-webhook.ts";
import {
  deliveryDetails,
  deliveryLine,
  pingDetails,
  webhookDetails,
  webhookLine,
} from "./webhook-view.ts";

export const listWebhooks = defineList({
  name: "webhook list",
  summary: "List the org's webhooks, newest first.",
  flags: {
    state: { value: "STATE", choices: webhookStates, summary: "Only webhooks in this state." },
    query: { value: "TEXT", summary: "Only webhooks with this text in the URL." },
  },
  examples: [
    { does: "List webhooks and their states.", run: "svc webhook list" },
    { does: "Only those that fail.", run: "svc webhook list --state failing" },
  ],
  view: webhookLine,
  empty: "No webhooks found. Create one: svc webhook create --to URL",
  read: async ({ flags: { state, query: q }, call, page }) =>
    pageOfListing(await call(webhooks.list, { query: { state, q, ...pagesOfListing(page) } })),
});

export const getWebhook = defineCommand({
  name: "webhook get",
  summary: "Show a webhook: what it gets, and its state.",
  args,
  examples: [{ does: "Show a webhook.", run: "svc webhook get whk_…" }],
  run: async ({ args: { webhook }, call, screen }) => {
    const params = { webhook_id: webhook };
    printItem(screen, await call(webhooks.get, { params }), webhookDetails);
  },
});

export const pingWebhook = defineCommand({
  name: "webhook ping",
  summary: "Send a webhook a sample event and show the answer.",
  details: "A webhook that was disabled is enabled when the ping arrives.",
  codes: [["1", "the ping did not arrive"]],
  args,
  flags: { "resend-failed": { summary: "When it arrives, send again what failed." } },
  examples: [{ does: "See whether the receiver answers.", run: "svc webhook ping whk_…" }],
  run: async ({ args: { webhook }, flags, call, screen }) => {
    const query = flags["resend-failed"] ? { resend: "failed" as const } : {};
    const ping = await call(pingWebhookRoute, { params: { webhook_id: webhook }, query });
    printItem(screen, ping, pingDetails);
    return ping.body.result === "delivered" ? 0 : 1;
  },
});

const statuses = ["pending", "delivered", "failed"] as const;

export const listDeliveries = defineList({
  name: "webhook deliveries",
  summary: "List what was delivered to a webhook, newest first.",
  args,
  flags: {
    status: { value: "STATUS", choices: statuses, summary: "Only deliveries in this status." },
    since: { value: "TIME", summary: "Only younger ones: a duration like 2h, or an instant." },
  },
  examples: [
    { does: "List what failed.", run: "svc webhook deliveries whk_… --status failed" },
    { does: "Watch deliveries.", run: "svc webhook deliveries whk_… --watch" },
  ],
  view: deliveryLine,
  empty: "No deliveries found. Send a sample event: svc webhook ping WEBHOOK",
  read: async ({ args: { webhook }, flags, call, page }) => {
    const since = readInstant("--since", flags.since);
    const query = { status: flags.status, since, ...pagesOfListing(page) };
    return pageOfListing(
      await call(webhookDeliveries.list, { params: { webhook_id: webhook }, query }),
    );
  },
});

export const getDelivery = defineCommand({
  name: "webhook delivery",
  summary: "Show a delivery to a webhook: its attempts, the answers, and what is sent.",
  args: { ...args, delivery: { summary: "The delivery's id." } },
  examples: [{ does: "See why it failed.", run: "svc webhook delivery whk_… whd_…" }],
  run: async ({ args: { webhook, delivery }, call, screen }) => {
    const params = { webhook_id: webhook, delivery_id: delivery };
    printItem(screen, await call(getDeliveryRoute, { params }), deliveryDetails);
  },
});

export const resendDeliveries = defineCommand({
  name: "webhook resend",
  summary: "Send deliveries to a webhook again: one, or all that failed.",
  details: "The same bytes with the same event id, each tried once.",
  args,
  flags: {
    delivery: { value: "DELIVERY", summary: "Only this one, whether it failed or not." },
    since: { value: "TIME", summary: "Only those made since then: a duration, or an instant." },
    until: { value: "TIME", summary: "Only those made before then." },
    workflow: { value: "WORKFLOW", summary: "Only those of this workflow." },
    delivered: { summary: "Those that were delivered, instead of those that failed." },
  },
  examples: [
    { does: "Send again what failed today.", run: "svc webhook resend whk_… --since 24h" },
    { does: "Send one again.", run: "svc webhook resend whk_… --delivery whd_…" },
  ],
  run: async ({ args: { webhook }, flags, call, screen }) => {
    const { delivery, delivered, since, until, workflow } = flags;
    if (delivery !== undefined) {
      if (delivered || since !== undefined || until !== undefined || workflow !== undefined) {
        throw new UsageError("--delivery goes with no other flag.");
      }
      const params = { webhook_id: webhook, delivery_id: delivery };
      printItem(screen, await call(resendDeliveryRoute, { params }), deliveryLine);
      return;
    }
    const body = {
      status: delivered ? ("delivered" as const) : ("failed" as const),
      since: readInstant("--since", since),
      until: readInstant("--until", until),
      workflow_id: workflow,
    };
    const answer = await call(resendDeliveriesRoute, { params: { webhook_id: webhook }, body });
    const { resent, has_more: hasMore } = answer.body;
    if (screen.format === "table") screen.out(`${resent} will be sent again.`);
    else screen.out(answer.text);
    if (hasMore) screen.say("There are more: choose them by --since and --until.");
  },
});

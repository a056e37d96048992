import { givenDelivery } from "../webhooks/given-webhooks.ts";
import type { GivenDashboard } from "./given-dashboard.ts";
import type { View } from "./view.ts";

/** A webhook with filters, one with a delivery, and where pages show them. */
export async function givenWebhookViews({ call, db, orgId }: GivenDashboard): Promise<View[]> {
  const interests = {
    resources: {
      runners: { ops: ["inactive"], outcome: "failures" },
      components: { outcome: "none", drift_detected: true },
    },
  };
  const match = { installs: { selector: { match_labels: { tier: "<b>gold</b>" } } } };
  const webhook = await call<{ id: string }>("POST /v1/orgs/current/webhooks", {
    body: { webhook_url: "https://example.com/hooks?a=<b>", webhook_secret: "x", interests, match },
  });
  const { webhookId, deliveryId } = await givenDelivery(db, { orgId });
  const path = "/webhooks/{webhook_id}";
  const [at, failed] = [`/webhooks/${webhook.body.id}`, `/webhooks/${webhookId}`];
  const one = `${failed}/deliveries/${deliveryId}`;
  return [
    { path: "/webhooks", address: "/webhooks", has: "all events", whenEmpty: "No webhooks yet" },
    {
      path: "/webhooks",
      address: "/webhooks?state=disabled",
      has: "No webhook fits these filters",
    },
    { path, address: at, has: "runners: inactive (failures)" },
    { path, address: failed, has: deliveryId },
    { path, address: `${failed}?status=delivered`, has: "No delivery fits these filters" },
    { path, address: `${at}/ping`, has: "a sample event" },
    { path, address: `${at}/resend`, has: "once more" },
    { path, address: `${at}/delete`, has: "example.com" },
    { path: `${path}/deliveries/{delivery_id}`, address: one, has: "What is sent" },
    { path: `${path}/deliveries/{delivery_id}`, address: `${one}/resend`, has: "same event id" },
  ];
}

import { html } from "hono/html";
import {
  getDeliveryRoute,
  resendDeliveriesRoute,
  resendDeliveryRoute,
} from "../../../shared/api/webhook-deliveries.ts";
import { type WebhookPing, type Webhook, webhooks } from "../../../shared/api/webhook.ts";
import { deleteWebhookRoute, pingWebhookRoute } from "../../../shared/api/webhooks.ts";
import type { Action, View } from "../page.ts";
import { counted } from "../parts/counted.ts";
import { choiceField, requireTyped, typedField } from "../parts/fields.ts";
import { notNow } from "../parts/not-now.ts";

const path = "/webhooks/{webhook_id}";
const permission = "webhooks.write";
const paramsOf = (view: View) => ({ webhook_id: view.param("webhook_id") });
const find = async (view: View): Promise<Webhook> =>
  await view.ask(webhooks.get, { params: paramsOf(view) });
const placeOf = ({ id }: Pick<Webhook, "id">): string => `/webhooks/${id}`;

const pingWebhook: Action = {
  path: `${path}/ping`,
  permission,
  async ask(view, entered) {
    const webhook = await find(view);
    const values = [
      ["", "leave it as it is"],
      ["failed", "send it again, if the ping arrives"],
    ] as const;
    return {
      title: "Ping this webhook",
      text: html`<p>
        It sends a sample event to ${webhook.url}, once and at
        once.${webhook.disabled_at === null ? "" : " If it arrives, the webhook is enabled again."}
      </p>`,
      fields: choiceField({ name: "resend", label: "What failed before", values }, entered),
      button: "Ping this webhook",
      back: placeOf(webhook),
    };
  },
  async run(view, form) {
    const params = paramsOf(view);
    const query = form.get("resend") === "failed" ? ({ resend: "failed" } as const) : {};
    const came = await view.ask(pingWebhookRoute, { params, query });
    return { said: pingWords(came), to: placeOf({ id: params.webhook_id }) };
  },
};

function pingWords(came: WebhookPing): string {
  if (came.result === "failed")
    return `The ping failed after ${came.duration_ms} ms: ${came.error ?? came.error_code ?? ""}`;
  const enabled = came.is_enabled_again ? " The webhook is enabled again." : "";
  const resent =
    came.resent === 0 ? "" : ` ${counted(came.resent, "delivery", "deliveries")} follow.`;
  return `The ping arrived: ${came.response_status ?? ""} after ${came.duration_ms} ms.${enabled}${resent}`;
}

const resendFailed: Action = {
  path: `${path}/resend`,
  permission,
  async ask(view) {
    const webhook = await find(view);
    return {
      title: "Send again what failed",
      text: html`<p>
        Up to 10,000 deliveries to ${webhook.url} that failed are sent once more, the oldest first,
        with the same bytes and ids. Each is tried once.
      </p>`,
      button: "Send again what failed",
      back: placeOf(webhook),
    };
  },
  async run(view) {
    const params = paramsOf(view);
    const { resent, has_more: hasMore } = await view.ask(resendDeliveriesRoute, {
      params,
      body: { status: "failed" },
    });
    const more = hasMore ? " There are more: send again." : "";
    const what = counted(resent, "delivery is", "deliveries are");
    return { said: `${what} sent again.${more}`, to: placeOf({ id: params.webhook_id }) };
  },
};

const deleteWebhook: Action = {
  path: `${path}/delete`,
  permission,
  async ask(view) {
    const webhook = await find(view);
    return {
      title: "Delete this webhook",
      text: html`<p>
        Nothing more is delivered to ${webhook.url}, not even what is under way. Its deliveries are
        not shown any more. This cannot be undone.
      </p>`,
      fields: typedField(hostOf(webhook)),
      button: "Delete this webhook",
      isDangerous: true,
      back: placeOf(webhook),
    };
  },
  async run(view, form) {
    const webhook = await find(view);
    requireTyped(form, hostOf(webhook));
    await view.ask(deleteWebhookRoute, { params: paramsOf(view) });
    return { said: `Deleted the webhook to ${webhook.url}.`, to: "/webhooks" };
  },
};

const hostOf = ({ url }: Webhook): string => new URL(url).host;

const resendDelivery: Action = {
  path: `${path}/deliveries/{delivery_id}/resend`,
  permission,
  async ask(view) {
    const delivery = await view.ask(getDeliveryRoute, { params: ofDelivery(view) });
    if (delivery.status === "pending") throw notNow("This delivery is not over yet.");
    return {
      title: "Send this delivery again",
      text: html`<p>
        The same bytes with the same event id, once:
        ${delivery.status === "delivered" ? "its receiver has it already, and must know it by its id." : "it is not tried again."}
      </p>`,
      button: "Send it again",
      back: deliveryPlace(view),
    };
  },
  async run(view) {
    await view.ask(resendDeliveryRoute, { params: ofDelivery(view) });
    return { said: "It is sent again.", to: deliveryPlace(view) };
  },
};

const ofDelivery = (view: View) => ({
  ...paramsOf(view),
  delivery_id: view.param("delivery_id"),
});
const deliveryPlace = (view: View): string =>
  `/webhooks/${view.param("webhook_id")}/deliveries/${view.param("delivery_id")}`;

/** Everything that can be done with a webhook. */
export const webhookActions: readonly Action[] = [
  pingWebhook,
  resendFailed,
  deleteWebhook,
  resendDelivery,
];

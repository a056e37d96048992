import {
  getDeliveryRoute,
  resendDeliveriesRoute,
  resendDeliveryRoute,
} from "../../../shared/api/webhook-deliveries.ts";
import {
  createWebhookRoute,
  deleteWebhookRoute,
  pingWebhookRoute,
  updateWebhookRoute,
} from "../../../shared/api/webhooks.ts";
import { problem } from "../../../shared/problem.ts";
import type { Broker } from "../../broker.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { openResource, showItem } from "../../http/resources/open-resource.ts";
import { createWebhook } from "../../webhooks/create-webhook.ts";
import { findBody, listAttempts } from "../../webhooks/delivery-queries.ts";
import { deliveryRows } from "../../webhooks/delivery-rows.ts";
import { pingWebhook } from "../../webhooks/ping-webhook.ts";
import { deleteWebhookRow } from "../../webhooks/queries.ts";
import { requireSample } from "../../webhooks/require-sample.ts";
import { requireWebhook } from "../../webhooks/require-webhook.ts";
import { resendDeliveries, resendDelivery } from "../../webhooks/resend-deliveries.ts";
import { toShownDelivery } from "../../webhooks/to-shown-delivery.ts";
import { updateWebhook } from "../../webhooks/update-webhook.ts";
import { webhookRows } from "../../webhooks/webhook-rows.ts";

/** /v1/orgs/current/webhooks and all below it */
export const keepWebhooks: RegisterRoutes = (app, broker) => {
  openResource(app, broker, webhookRows);
  write(app, broker);
  readAndResend(app, broker);
};

const shown = (c: AppContext, { db }: Broker, id: string) =>
  showItem(c, db, webhookRows, { webhook_id: id });

const write: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(createWebhookRoute, async ({ c, actor, body }) => {
    const id = await createWebhook(broker, actor, body);
    return await shown(c, broker, id);
  });
  app.handle(
    updateWebhookRoute,
    async ({ c, orgId, params: { webhook_id: id }, body: changes, requiredVersion }) => {
      await updateWebhook(broker, orgId, { id, version: requiredVersion(), changes });
      return await shown(c, broker, id);
    },
  );
  app.handle(deleteWebhookRoute, async ({ orgId, params: { webhook_id: id } }) => {
    if (!(await deleteWebhookRow(db, orgId, id))) throw problem.notFound("webhook");
  });
  app.handle(pingWebhookRoute, async ({ orgId, params: { webhook_id: id }, query, withPermit }) => {
    const { resend, ...asked } = query;
    const sample = requireSample(asked);
    const ping = {
      id,
      sample,
      resendsFailed: resend === "failed",
      withPermit: withPermit,
    };
    return await pingWebhook(broker, orgId, ping);
  });
};

const readAndResend: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  openResource(app, broker, deliveryRows);
  app.handle(getDeliveryRoute, async ({ c, orgId, params: named }) => {
    await requireWebhook(db, orgId, named.webhook_id);
    const delivery = await showItem(c, db, deliveryRows, named);
    const [body, attempts] = await Promise.all([
      findBody(db, orgId, delivery.id),
      listAttempts(db, orgId, delivery.id),
    ]);
    if (body === undefined) throw problem.notFound("delivery"); // it was deleted meanwhile
    return toShownDelivery(delivery, body, attempts);
  });
  app.handle(resendDeliveryRoute, async ({ orgId, params }) => {
    const { webhook_id: webhookId, delivery_id: id } = params;
    await requireWebhook(db, orgId, webhookId);
    return await resendDelivery(broker, orgId, { webhookId, id });
  });
  app.handle(resendDeliveriesRoute, async ({ orgId, params: { webhook_id: webhookId }, body }) => {
    const asked = { webhookId, filter: body };
    const { resent, hasMore } = await resendDeliveries(broker, orgId, asked);
    return { resent, has_more: hasMore };
  });
};

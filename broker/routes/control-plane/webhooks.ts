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
import { requiredVersion } from "../../http/answer/etag.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { permitFor } from "../../http/gate/with-permit.ts";
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
  app.openapi(createWebhookRoute, async (c) => {
    const actor = c.get("actor");
    const id = await createWebhook(broker, actor, c.req.valid("json"));
    return c.json(await shown(c, broker, id), 201);
  });
  app.openapi(updateWebhookRoute, async (c) => {
    const { orgId } = c.get("actor");
    const { webhook_id: id } = c.req.valid("param");
    const changes = c.req.valid("json");
    await updateWebhook(broker, orgId, { id, version: requiredVersion(c), changes });
    return c.json(await shown(c, broker, id), 200);
  });
  app.openapi(deleteWebhookRoute, async (c) => {
    const { webhook_id: id } = c.req.valid("param");
    if (!(await deleteWebhookRow(db, c.get("actor").orgId, id))) throw problem.notFound("webhook");
    return c.body(null, 204);
  });
  app.openapi(pingWebhookRoute, async (c) => {
    const { webhook_id: id } = c.req.valid("param");
    const { resend, ...asked } = c.req.valid("query");
    const sample = requireSample(asked);
    const ping = {
      id,
      sample,
      resendsFailed: resend === "failed",
      withPermit: permitFor(c, broker),
    };
    return c.json(await pingWebhook(broker, c.get("actor").orgId, ping), 200);
  });
};

const readAndResend: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  openResource(app, broker, deliveryRows);
  app.openapi(getDeliveryRoute, async (c) => {
    const named = c.req.valid("param");
    const { orgId } = c.get("actor");
    await requireWebhook(db, orgId, named.webhook_id);
    const delivery = await showItem(c, db, deliveryRows, named);
    const [body, attempts] = await Promise.all([
      findBody(db, orgId, delivery.id),
      listAttempts(db, orgId, delivery.id),
    ]);
    if (body === undefined) throw problem.notFound("delivery"); // it was deleted meanwhile
    return c.json(toShownDelivery(delivery, body, attempts), 200);
  });
  app.openapi(resendDeliveryRoute, async (c) => {
    const { webhook_id: webhookId, delivery_id: id } = c.req.valid("param");
    const { orgId } = c.get("actor");
    await requireWebhook(db, orgId, webhookId);
    return c.json(await resendDelivery(broker, orgId, { webhookId, id }), 202);
  });
  app.openapi(resendDeliveriesRoute, async (c) => {
    const { webhook_id: webhookId } = c.req.valid("param");
    const { orgId } = c.get("actor");
    const asked = { webhookId, filter: c.req.valid("json") };
    const { resent, hasMore } = await resendDeliveries(broker, orgId, asked);
    return c.json({ resent, has_more: hasMore }, 202);
  });
};

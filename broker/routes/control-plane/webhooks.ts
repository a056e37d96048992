import {
  getDeliveryRoute,
  listDeliveriesRoute,
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
import type { ListRequest } from "../../database/page-request.ts";
import { answerListing } from "../../http/answer/answer-listing.ts";
import { requiredVersion } from "../../http/answer/etag.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { permitFor } from "../../http/gate/with-permit.ts";
import { openResource, showItem } from "../../http/resources/open-resource.ts";
import { createWebhook } from "../../webhooks/create-webhook.ts";
import { findDelivery, listAttempts, listDeliveries } from "../../webhooks/delivery-queries.ts";
import { pingWebhook } from "../../webhooks/ping-webhook.ts";
import { deleteWebhookRow } from "../../webhooks/queries.ts";
import { requireSample } from "../../webhooks/require-sample.ts";
import { requireWebhook } from "../../webhooks/require-webhook.ts";
import { resendDeliveries, resendDelivery } from "../../webhooks/resend-deliveries.ts";
import { toDelivery, toShownDelivery } from "../../webhooks/to-delivery.ts";
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
  app.openapi(listDeliveriesRoute, async (c) => {
    const { webhook_id: webhookId } = c.req.valid("param");
    const { cursor, limit, offset, ...filter } = c.req.valid("query");
    const asked = { cursor, limit, offset };
    await requireWebhook(db, c.get("actor").orgId, webhookId);
    const listed = await answerListing(c, asked, {
      filters: { webhookId, ...filter },
      read: (request: ListRequest) => listDeliveries(db, webhookId, { ...request, filter }),
      toItem: toDelivery,
    });
    return c.json(listed, 200);
  });
  app.openapi(getDeliveryRoute, async (c) => {
    const { webhook_id: webhookId, delivery_id: id } = c.req.valid("param");
    const { orgId } = c.get("actor");
    await requireWebhook(db, orgId, webhookId);
    const row = await findDelivery(db, orgId, { webhookId, id });
    if (row === undefined) throw problem.notFound("delivery");
    return c.json(toShownDelivery(row, await listAttempts(db, orgId, id)), 200);
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

import {
  createQueueRoute,
  deleteQueueRoute,
  getQueueRoute,
  getQueueStatusRoute,
  listQueuesRoute,
  pauseQueueRoute,
  purgeQueueRoute,
  resumeQueueRoute,
  updateQueueRoute,
} from "../../../shared/api/queues.ts";
import type { Broker } from "../../broker.ts";
import { hasVersion, requiredVersion } from "../../http/answer/etag.ts";
import { readPage, toPage } from "../../http/answer/paginate.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { createQueue as makeQueue } from "../../queues/create-queue.ts";
import { deleteQueue as removeQueue } from "../../queues/delete-queue.ts";
import { pauseQueue, resumeQueue } from "../../queues/pause-queue.ts";
import { purgeQueue as purge } from "../../queues/purge-queue.ts";
import { readQueueStatus } from "../../queues/read-queue-status.ts";
import { hidesLanes } from "../../queues/require-act.ts";
import { listAllQueues, showQueue } from "../../queues/show-queues.ts";
import { updateQueue as changeQueue } from "../../queues/update-queue.ts";

/** POST /v1/queues */
export const createQueue: RegisterRoutes = (app, broker) => {
  app.openapi(createQueueRoute, async (c) => {
    const actor = c.get("actor");
    const id = await makeQueue(broker, actor, c.req.valid("json"));
    return c.json(await showQueue(broker.db, actor.orgId, id), 201);
  });
};

/** GET /v1/queues, GET /v1/queues/{queue_id}, …/status */
export const readQueues: RegisterRoutes = (app, broker) => {
  app.openapi(listQueuesRoute, async (c) => {
    const { cursor, limit, ...filters } = c.req.valid("query");
    const { after } = readPage({ cursor, limit }, filters);
    const { orgId, permissions } = c.get("actor");
    const filter = { ...filters, hidesLanes: hidesLanes(permissions) };
    const rows = await listAllQueues(broker.db, orgId, { filter, after, limit: limit + 1 });
    return c.json(toPage(c, rows, { limit, filters, toItem: ({ queue }) => queue }), 200);
  });
  app.openapi(getQueueRoute, async (c) => {
    const { queue_id: id } = c.req.valid("param");
    const queue = await showQueue(broker.db, c.get("actor").orgId, id);
    hasVersion(c, queue.version);
    return c.json(queue, 200);
  });
  app.openapi(getQueueStatusRoute, async (c) => {
    const { queue_id: id } = c.req.valid("param");
    return c.json(await readQueueStatus(broker.db, c.get("actor").orgId, id), 200);
  });
};

/** PATCH and DELETE /v1/queues/{queue_id} */
export const updateQueues: RegisterRoutes = (app, broker) => {
  app.openapi(updateQueueRoute, async (c) => {
    const { queue_id: id } = c.req.valid("param");
    const change = { id, version: requiredVersion(c), changes: c.req.valid("json") };
    await changeQueue(broker, c.get("actor").orgId, change);
    return c.json(await shown(c, broker, id), 200);
  });
  app.openapi(deleteQueueRoute, async (c) => {
    await removeQueue(broker.db, c.get("actor").orgId, c.req.valid("param").queue_id);
    return c.body(null, 204);
  });
};

/** POST /v1/queues/{queue_id}/pause, …/resume, …/purge */
export const operateQueues: RegisterRoutes = (app, broker) => {
  app.openapi(pauseQueueRoute, async (c) => {
    const { queue_id: id } = c.req.valid("param");
    await pauseQueue(broker, c.get("actor"), { id, ...c.req.valid("json") });
    return c.json(await shown(c, broker, id), 200);
  });
  app.openapi(resumeQueueRoute, async (c) => {
    const { queue_id: id } = c.req.valid("param");
    await resumeQueue(broker, c.get("actor"), { id, ...c.req.valid("json") });
    return c.json(await shown(c, broker, id), 200);
  });
  app.openapi(purgeQueueRoute, async (c) => {
    const { queue_id: id } = c.req.valid("param");
    const { in_flight: withInFlight } = c.req.valid("json");
    const { purged, hasMore } = await purge(broker, c.get("actor"), { id, withInFlight });
    return c.json({ purged, has_more: hasMore }, 200);
  });
};

function shown(c: AppContext, { db }: Broker, id: string) {
  return showQueue(db, c.get("actor").orgId, id);
}

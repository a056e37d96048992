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
import { answerList, splitQuery } from "../../http/answer/answer-list.ts";
import { hasVersion } from "../../http/answer/etag.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { createQueue as makeQueue } from "../../queues/create-queue.ts";
import { deleteQueue as removeQueue } from "../../queues/delete-queue.ts";
import { pauseQueue, resumeQueue } from "../../queues/pause-queue.ts";
import { purgeQueue as purge } from "../../queues/purge-queue.ts";
import { readQueueStatus } from "../../queues/read-queue-status.ts";
import { hidesLanes } from "../../queues/require-act.ts";
import { listAllQueues, showQueue } from "../../queues/show-queues.ts";
import { updateQueue as changeQueue } from "../../queues/update-queue.ts";

/** /v1/queues and what is done to a queue */
export const keepQueues: RegisterRoutes = (app, broker) => {
  createQueue(app, broker);
  readQueues(app, broker);
  updateQueues(app, broker);
  operateQueues(app, broker);
};

/** POST /v1/queues */
const createQueue: RegisterRoutes = (app, broker) => {
  app.handle(createQueueRoute, async ({ actor, body }) => {
    const id = await makeQueue(broker, actor, body);
    return await showQueue(broker.db, actor.orgId, id);
  });
};

/** GET /v1/queues, GET /v1/queues/{queue_id}, …/status */
const readQueues: RegisterRoutes = (app, broker) => {
  app.handle(listQueuesRoute, async ({ c, actor: { orgId, permissions }, query }) => {
    const [page, filters] = splitQuery(query);
    const filter = { ...filters, hidesLanes: hidesLanes(permissions) };
    return await answerList(c, page, {
      filters,
      read: (request) => listAllQueues(broker.db, orgId, { filter, ...request }),
      toItem: ({ queue }) => queue,
    });
  });
  app.handle(getQueueRoute, async ({ c, orgId, params: { queue_id: id } }) => {
    const queue = await showQueue(broker.db, orgId, id);
    hasVersion(c, queue.version);
    return queue;
  });
  app.handle(
    getQueueStatusRoute,
    async ({ orgId, params: { queue_id: id } }) => await readQueueStatus(broker.db, orgId, id),
  );
};

/** PATCH and DELETE /v1/queues/{queue_id} */
const updateQueues: RegisterRoutes = (app, broker) => {
  app.handle(
    updateQueueRoute,
    async ({ c, orgId, params: { queue_id: id }, body, requiredVersion }) => {
      const change = { id, version: requiredVersion(), changes: body };
      await changeQueue(broker, orgId, change);
      return await shown(c, broker, id);
    },
  );
  app.handle(deleteQueueRoute, async ({ orgId, params }) => {
    await removeQueue(broker.db, orgId, params.queue_id);
  });
};

/** POST /v1/queues/{queue_id}/pause, …/resume, …/purge */
const operateQueues: RegisterRoutes = (app, broker) => {
  app.handle(pauseQueueRoute, async ({ c, actor, params: { queue_id: id }, body }) => {
    await pauseQueue(broker, actor, { id, ...body });
    return await shown(c, broker, id);
  });
  app.handle(resumeQueueRoute, async ({ c, actor, params: { queue_id: id }, body }) => {
    await resumeQueue(broker, actor, { id, ...body });
    return await shown(c, broker, id);
  });
  app.handle(
    purgeQueueRoute,
    async ({ actor, params: { queue_id: id }, body: { in_flight: withInFlight } }) => {
      const { purged, hasMore } = await purge(broker, actor, { id, withInFlight });
      return { purged, has_more: hasMore };
    },
  );
};

function shown(c: AppContext, { db }: Broker, id: string) {
  return showQueue(db, c.get("actor").orgId, id);
}

import {
  createEmitterRoute,
  deleteEmitterRoute,
  fireEmitterRoute,
  getEmitterRoute,
  getEmitterTicksRoute,
  listEmittersRoute,
  listQueueEmittersRoute,
  pauseEmitterRoute,
  resumeEmitterRoute,
  updateEmitterRoute,
} from "../../../shared/api/emitters.ts";
import type { Broker } from "../../broker.ts";
import { createEmitter as create } from "../../emitters/create-emitter.ts";
import { deleteEmitter as remove } from "../../emitters/delete-emitter.ts";
import { fireEmitter as fire } from "../../emitters/fire-emitter.ts";
import { pauseEmitter, resumeEmitter } from "../../emitters/pause-emitter.ts";
import { type EmitterFilter, listEmitters } from "../../emitters/queries.ts";
import { showEmitter, showTicks } from "../../emitters/show-emitter.ts";
import { toEmitter } from "../../emitters/to-emitter.ts";
import { updateEmitter as update } from "../../emitters/update-emitter.ts";
import { answerList, type Paging, splitQuery } from "../../http/answer/answer-list.ts";
import { answer } from "../../http/answer/answer.ts";
import { hasVersion } from "../../http/answer/etag.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { tellSecrets } from "../../http/gate/audit-gate.ts";
import { hidesLanes } from "../../queues/require-act.ts";
import { requireQueue } from "../../queues/require-queue.ts";
import { readSignal } from "../../signals/read-signals.ts";

/** POST /v1/queues/{queue_id}/emitters */
const createEmitter: RegisterRoutes = (app, broker) => {
  app.handle(createEmitterRoute, async ({ c, actor, params: { queue_id: queueId }, body }) => {
    const asked = { queueId, body, templateText: templateText(c) };
    const id = await create(broker, actor, asked);
    return await shown(c, broker, id);
  });
};

/** GET …/emitters, GET /v1/emitters, GET /v1/emitters/{emitter_id}, GET …/next */
const readEmitters: RegisterRoutes = (app, broker) => {
  app.handle(listQueueEmittersRoute, async ({ c, orgId, params: { queue_id }, query }) => {
    await requireQueue(broker.db, orgId, queue_id);
    return await page(c, broker, { ...query, queue_id });
  });
  app.handle(listEmittersRoute, async ({ c, query }) => await page(c, broker, query));
  app.handle(
    getEmitterRoute,
    async ({ c, params, query }) =>
      await shown(c, broker, params.emitter_id, query.data !== "false"),
  );
  app.handle(
    getEmitterTicksRoute,
    async ({ orgId, params: { emitter_id: id }, query: { n } }) =>
      await showTicks(broker.db, orgId, { id, n }),
  );
};

/** PATCH, DELETE /v1/emitters/{emitter_id} */
const updateEmitters: RegisterRoutes = (app, broker) => {
  app.handle(
    updateEmitterRoute,
    async ({ c, actor, params: { emitter_id: id }, body: changes, requiredVersion }) => {
      const asked = { id, changes, templateText: templateText(c), version: requiredVersion() };
      await update(broker, actor, asked);
      return await shown(c, broker, id);
    },
  );
  app.handle(deleteEmitterRoute, async ({ orgId, params: { emitter_id: id } }) => {
    await remove(broker.db, orgId, id);
  });
};

/** POST /v1/emitters/{emitter_id}/pause, …/resume */
const operateEmitters: RegisterRoutes = (app, broker) => {
  app.handle(pauseEmitterRoute, async ({ c, actor, params: { emitter_id: id }, body }) => {
    await pauseEmitter(broker, actor, { id, ...body });
    return await shown(c, broker, id);
  });
  app.handle(resumeEmitterRoute, async ({ c, actor, params: { emitter_id: id }, body }) => {
    await resumeEmitter(broker, actor, { id, ...body });
    return await shown(c, broker, id);
  });
};

/** POST /v1/emitters/{emitter_id}/fire */
const fireEmitter: RegisterRoutes = (app, broker) => {
  app.handle(fireEmitterRoute, async ({ actor, params: { emitter_id: id } }) => {
    const { signalId, isKept } = await fire(broker, actor, id);
    const signal = await readSignal(broker, actor, signalId);
    return answer(isKept ? 200 : 201, { ...signal, deduplicated: isKept });
  });
};

const templateText = (c: AppContext): string | undefined =>
  c.get("verbatim").get("#/signal_template");

/** An emitter without data of its signals shows nothing that could be secret. */
async function shown(c: AppContext, broker: Broker, id: string, withData = true) {
  const emitter = await showEmitter(broker, c.get("actor"), { id, withData });
  if (Object.keys(emitter.signal_template ?? {}).length > 0) tellSecrets(c);
  hasVersion(c, emitter.version);
  return emitter;
}

async function page(c: AppContext, broker: Broker, asked: EmitterFilter & Paging) {
  const [paging, filters] = splitQuery(asked);
  const { orgId, permissions } = c.get("actor");
  const filter = { ...filters, hidesLanes: hidesLanes(permissions) };
  return await answerList(c, paging, {
    filters,
    read: (request) => listEmitters(broker.db, orgId, { filter, ...request }),
    toItem: (row) => toEmitter(row),
  });
}

/** Emitters: of a queue, and each by itself */
export const keepEmitters: RegisterRoutes = (app, broker) => {
  createEmitter(app, broker);
  readEmitters(app, broker);
  updateEmitters(app, broker);
  operateEmitters(app, broker);
  fireEmitter(app, broker);
};

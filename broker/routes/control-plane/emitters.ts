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
import { hasVersion, requiredVersion } from "../../http/answer/etag.ts";
import { readPage, toPage } from "../../http/answer/paginate.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { tellSecrets } from "../../http/gate/audit-gate.ts";
import { hidesLanes } from "../../queues/require-act.ts";
import { requireQueue } from "../../queues/require-queue.ts";
import { readSignal } from "../../signals/read-signals.ts";

/** POST /v1/queues/{queue_id}/emitters */
const createEmitter: RegisterRoutes = (app, broker) => {
  app.openapi(createEmitterRoute, async (c) => {
    const { queue_id: queueId } = c.req.valid("param");
    const asked = { queueId, body: c.req.valid("json"), templateText: templateText(c) };
    const id = await create(broker, c.get("actor"), asked);
    return c.json(await shown(c, broker, id), 201);
  });
};

/** GET …/emitters, GET /v1/emitters, GET /v1/emitters/{emitter_id}, GET …/next */
const readEmitters: RegisterRoutes = (app, broker) => {
  app.openapi(listQueueEmittersRoute, async (c) => {
    const { queue_id } = c.req.valid("param");
    await requireQueue(broker.db, c.get("actor").orgId, queue_id);
    return c.json(await page(c, broker, { ...c.req.valid("query"), queue_id }), 200);
  });
  app.openapi(listEmittersRoute, async (c) =>
    c.json(await page(c, broker, c.req.valid("query")), 200),
  );
  app.openapi(getEmitterRoute, async (c) =>
    c.json(
      await shown(
        c,
        broker,
        c.req.valid("param").emitter_id,
        c.req.valid("query").data !== "false",
      ),
      200,
    ),
  );
  app.openapi(getEmitterTicksRoute, async (c) => {
    const { emitter_id: id } = c.req.valid("param");
    const { n } = c.req.valid("query");
    return c.json(await showTicks(broker.db, c.get("actor").orgId, { id, n }), 200);
  });
};

/** PATCH, DELETE /v1/emitters/{emitter_id} */
const updateEmitters: RegisterRoutes = (app, broker) => {
  app.openapi(updateEmitterRoute, async (c) => {
    const { emitter_id: id } = c.req.valid("param");
    const changes = c.req.valid("json");
    const asked = { id, changes, templateText: templateText(c), version: requiredVersion(c) };
    await update(broker, c.get("actor"), asked);
    return c.json(await shown(c, broker, id), 200);
  });
  app.openapi(deleteEmitterRoute, async (c) => {
    const { emitter_id: id } = c.req.valid("param");
    await remove(broker.db, c.get("actor").orgId, id);
    return c.body(null, 204);
  });
};

/** POST /v1/emitters/{emitter_id}/pause, …/resume */
const operateEmitters: RegisterRoutes = (app, broker) => {
  app.openapi(pauseEmitterRoute, async (c) => {
    const { emitter_id: id } = c.req.valid("param");
    await pauseEmitter(broker, c.get("actor"), { id, ...c.req.valid("json") });
    return c.json(await shown(c, broker, id), 200);
  });
  app.openapi(resumeEmitterRoute, async (c) => {
    const { emitter_id: id } = c.req.valid("param");
    await resumeEmitter(broker, c.get("actor"), { id, ...c.req.valid("json") });
    return c.json(await shown(c, broker, id), 200);
  });
};

/** POST /v1/emitters/{emitter_id}/fire */
const fireEmitter: RegisterRoutes = (app, broker) => {
  app.openapi(fireEmitterRoute, async (c) => {
    const actor = c.get("actor");
    const { emitter_id: id } = c.req.valid("param");
    const { signalId, isKept } = await fire(broker, actor, id);
    const signal = await readSignal(broker, actor, signalId);
    return c.json({ ...signal, deduplicated: isKept }, isKept ? 200 : 201);
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

type Listed = EmitterFilter & { readonly cursor?: string | undefined; readonly limit: number };

async function page(c: AppContext, broker: Broker, { cursor, limit, ...filters }: Listed) {
  const { after } = readPage({ cursor, limit }, filters);
  const { orgId, permissions } = c.get("actor");
  const filter = { ...filters, hidesLanes: hidesLanes(permissions) };
  const rows = await listEmitters(broker.db, orgId, { filter, after, limit: limit + 1 });
  return toPage(c, rows, { limit, filters, toItem: (row) => toEmitter(row) });
}

/** Emitters: of a queue, and each by itself */
export const keepEmitters: RegisterRoutes = (app, broker) => {
  createEmitter(app, broker);
  readEmitters(app, broker);
  updateEmitters(app, broker);
  operateEmitters(app, broker);
  fireEmitter(app, broker);
};

import { getLogStreamRoute, listLogStreamsRoute } from "../../../shared/api/log-streams.ts";
import { closeLogStreamRoute, createLogStreamRoute } from "../../../shared/api/write-logs.ts";
import { readPage, toPage } from "../../http/answer/paginate.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import {
  closeLogStream,
  createLogStream as create,
  listStreams,
  requireLogStream,
} from "../../logs/store/log-streams.ts";
import { toLogStream } from "../../logs/store/to-log-stream.ts";

/** POST /v1/log-streams, POST /v1/log-streams/{log_stream_id}/close */
export const createLogStream: RegisterRoutes = (app, broker) => {
  const apiUrl = broker.config.publicUrl ?? "";
  app.openapi(createLogStreamRoute, async (c) => {
    const stream = await create(broker.db, c.get("actor"), c.req.valid("json"));
    return c.json(toLogStream(stream, apiUrl), 201);
  });
  app.openapi(closeLogStreamRoute, async (c) => {
    const { log_stream_id: id } = c.req.valid("param");
    const stream = await closeLogStream(broker, c.get("actor").orgId, id);
    return c.json(toLogStream(stream, apiUrl), 200);
  });
};

/** GET of one log stream, and of an org's or an owner's. */
export const readLogStreams: RegisterRoutes = (app, { db, config }) => {
  const apiUrl = config.publicUrl ?? "";
  app.openapi(getLogStreamRoute, async (c) => {
    const { orgId, runnerId } = c.get("actor");
    const { log_stream_id: id } = c.req.valid("param");
    return c.json(toLogStream(await requireLogStream(db, orgId, id, runnerId), apiUrl), 200);
  });
  app.openapi(listLogStreamsRoute, async (c) => {
    const { cursor, limit, ...filters } = c.req.valid("query");
    const page = readPage({ cursor, limit }, filters);
    const { orgId, bound } = c.get("actor");
    const filter = { ownerId: filters.owner_id, ownerType: filters.owner_type, bound };
    const rows = await listStreams(db, orgId, filter, page);
    const toItem = (row: (typeof rows)[number]) => toLogStream(row, apiUrl);
    return c.json(toPage(c, rows, { limit, filters, toItem }), 200);
  });
};

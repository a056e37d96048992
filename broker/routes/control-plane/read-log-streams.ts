import { getLogStreamRoute, listLogStreamsRoute } from "../../../shared/api/log-streams.ts";
import { readPage, toPage } from "../../http/answer/paginate.ts";
import type { Door } from "../../http/app-types.ts";
import { listStreams } from "../../logs/store/list-streams.ts";
import { requireLogStream } from "../../logs/store/require-log-stream.ts";
import { toLogStream } from "../../logs/store/to-log-stream.ts";

/** GET of one log stream, and of an org's or an owner's. */
export const readLogStreams: Door = (app, { db, config }) => {
  const apiUrl = config.publicUrl ?? "";
  app.openapi(getLogStreamRoute, async (c) => {
    const { orgId, runnerId } = c.get("actor");
    const { log_stream_id: id } = c.req.valid("param");
    return c.json(toLogStream(await requireLogStream(db, orgId, id, runnerId), apiUrl), 200);
  });
  app.openapi(listLogStreamsRoute, async (c) => {
    const { cursor, limit, ...filters } = c.req.valid("query");
    const page = readPage({ cursor, limit }, filters);
    const filter = { ownerId: filters.owner_id, ownerType: filters.owner_type };
    const rows = await listStreams(db, c.get("actor").orgId, filter, page);
    const toItem = (row: (typeof rows)[number]) => toLogStream(row, apiUrl);
    return c.json(toPage(c, rows, { limit, filters, toItem }), 200);
  });
};

import { getLogStreamRoute, listLogStreamsRoute } from "../../../shared/api/log-streams.ts";
import { closeLogStreamRoute, createLogStreamRoute } from "../../../shared/api/write-logs.ts";
import { answerList, splitQuery } from "../../http/answer/answer-list.ts";
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
  app.handle(createLogStreamRoute, async ({ actor, body }) => {
    const stream = await create(broker.db, actor, body);
    return toLogStream(stream, apiUrl);
  });
  app.handle(closeLogStreamRoute, async ({ orgId, params: { log_stream_id: id } }) => {
    const stream = await closeLogStream(broker, orgId, id);
    return toLogStream(stream, apiUrl);
  });
};

/** GET of one log stream, and of an org's or an owner's. */
export const readLogStreams: RegisterRoutes = (app, { db, config }) => {
  const apiUrl = config.publicUrl ?? "";
  app.handle(
    getLogStreamRoute,
    async ({ actor: { orgId, runnerId }, params: { log_stream_id: id } }) =>
      toLogStream(await requireLogStream(db, orgId, id, runnerId), apiUrl),
  );
  app.handle(listLogStreamsRoute, async ({ c, actor: { orgId, bound }, query }) => {
    const [page, filters] = splitQuery(query);
    const filter = { ownerId: filters.owner_id, ownerType: filters.owner_type, bound };
    return await answerList(c, page, {
      filters,
      read: (request) => listStreams(db, orgId, filter, request),
      toItem: (row) => toLogStream(row, apiUrl),
    });
  });
};

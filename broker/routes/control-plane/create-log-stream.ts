import { closeLogStreamRoute, createLogStreamRoute } from "../../../shared/api/write-logs.ts";
import type { Door } from "../../http/app-types.ts";
import { closeLogStream } from "../../logs/store/close-log-stream.ts";
import { createLogStream as create } from "../../logs/store/create-log-stream.ts";
import { toLogStream } from "../../logs/store/to-log-stream.ts";

/** POST /v1/log-streams, POST /v1/log-streams/{log_stream_id}/close */
export const createLogStream: Door = (app, broker) => {
  const apiUrl = broker.config.publicUrl ?? "";
  app.openapi(createLogStreamRoute, async (c) => {
    const stream = await create(broker.db, c.get("actor").orgId, c.req.valid("json"));
    return c.json(toLogStream(stream, apiUrl), 201);
  });
  app.openapi(closeLogStreamRoute, async (c) => {
    const { log_stream_id: id } = c.req.valid("param");
    const stream = await closeLogStream(broker, c.get("actor").orgId, id);
    return c.json(toLogStream(stream, apiUrl), 200);
  });
};

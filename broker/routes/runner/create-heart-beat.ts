import { createHeartBeatRoute } from "../../../shared/api/heart-beat.ts";
import type { Door } from "../../http/app-types.ts";
import { takeHeartBeat } from "../../processes/take-heart-beat.ts";

/** POST /v1/runners/{runner_id}/heart-beats */
export const createHeartBeat: Door = (app, broker) => {
  app.openapi(createHeartBeatRoute, async (c) => {
    const runner = { orgId: c.get("actor").orgId, runnerId: c.req.valid("param").runner_id };
    return c.json(await takeHeartBeat(broker, runner, c.req.valid("json")), 201);
  });
};

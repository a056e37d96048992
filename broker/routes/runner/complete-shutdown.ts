import { completeShutdownRoute } from "../../../shared/api/runner-process-shutdown.ts";
import type { Door } from "../../http/app-types.ts";
import { completeShutdown as complete } from "../../processes/complete-shutdown.ts";

/** POST /v1/runners/{runner_id}/processes/{process_id}/shutdowns/{shutdown_id}/complete */
export const completeShutdown: Door = (app, broker) => {
  app.openapi(completeShutdownRoute, async (c) => {
    const { runner_id: runnerId, process_id: processId, shutdown_id } = c.req.valid("param");
    const named = { orgId: c.get("actor").orgId, runnerId, processId };
    return c.json(await complete(broker, named, shutdown_id), 200);
  });
};

import {
  forceShutdownRoute,
  gracefulShutdownRoute,
  restartRunnerRoute,
  shutDownProcessRoute,
} from "../../../shared/api/runner-process-shutdown.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { requestShutdown, requestShutdowns as request } from "../../processes/request-shutdowns.ts";

/** POST /v1/runners/{runner_id}/graceful-shutdown, …/force-shutdown, …/restart, …/processes/{process_id}/shutdown */
export const requestShutdowns: RegisterRoutes = (app, broker) => {
  app.openapi(gracefulShutdownRoute, async (c) => {
    const { deadline: deadlineNs, reason } = c.req.valid("json");
    const order = { type: "graceful", deadlineNs, reason } as const;
    return c.json(
      await request(broker, c.get("actor"), c.req.valid("param").runner_id, order),
      201,
    );
  });

  app.openapi(restartRunnerRoute, async (c) => {
    const { deadline: deadlineNs, reason } = c.req.valid("json");
    const order = { type: "restart", deadlineNs, reason } as const;
    return c.json(
      await request(broker, c.get("actor"), c.req.valid("param").runner_id, order),
      201,
    );
  });

  app.openapi(forceShutdownRoute, async (c) => {
    const { runner_id: runnerId } = c.req.valid("param");
    const order = { type: "force", reason: c.req.valid("json").reason } as const;
    return c.json(await request(broker, c.get("actor"), runnerId, order), 201);
  });

  app.openapi(shutDownProcessRoute, async (c) => {
    const actor = c.get("actor");
    const { runner_id: runnerId, process_id: processId } = c.req.valid("param");
    const { shutdown_type: type, deadline: deadlineNs, reason } = c.req.valid("json");
    const named = { orgId: actor.orgId, runnerId, processId };
    return c.json(await requestShutdown(broker, actor, named, { type, deadlineNs, reason }), 201);
  });
};

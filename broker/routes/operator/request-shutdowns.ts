import {
  forceShutdownRoute,
  gracefulShutdownRoute,
  restartRunnerRoute,
  shutDownProcessRoute,
} from "../../../shared/api/runner-process-shutdown.ts";
import { answerShape } from "../../http/answer/answer-shape.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { requestShutdown, requestShutdowns as request } from "../../processes/request-shutdowns.ts";

/** POST /v1/runners/{runner_id}/graceful-shutdown, …/force-shutdown, …/restart, …/processes/{process_id}/shutdown */
export const requestShutdowns: RegisterRoutes = (app, broker) => {
  app.handle(gracefulShutdownRoute, async ({ c, actor, params, body }) => {
    const { deadline: deadlineNs, reason } = body;
    const order = { type: "graceful", deadlineNs, reason } as const;
    const records = await request(broker, actor, params.runner_id, order);
    return answerShape(c, records, () => ({ shutdowns: records }));
  });

  app.handle(restartRunnerRoute, async ({ actor, params, body }) => {
    const { deadline: deadlineNs, reason } = body;
    const order = { type: "restart", deadlineNs, reason } as const;
    return await request(broker, actor, params.runner_id, order);
  });

  app.handle(forceShutdownRoute, async ({ c, actor, params: { runner_id: runnerId }, body }) => {
    const order = { type: "force", reason: body.reason } as const;
    const records = await request(broker, actor, runnerId, order);
    return answerShape(c, records, () => ({ shutdowns: records }));
  });

  app.handle(shutDownProcessRoute, async ({ actor, params, body }) => {
    const { runner_id: runnerId, process_id: processId } = params;
    const { shutdown_type: type, deadline: deadlineNs, reason } = body;
    const named = { orgId: actor.orgId, runnerId, processId };
    return await requestShutdown(broker, actor, named, { type, deadlineNs, reason });
  });
};

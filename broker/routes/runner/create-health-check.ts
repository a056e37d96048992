import { createHealthCheckRoute } from "../../../shared/api/health-check.ts";
import { problem } from "../../../shared/problem.ts";
import type { Door } from "../../http/app-types.ts";
import { insertHealthCheck } from "../../processes/health-checks.ts";

/** POST /v1/runners/{runner_id}/health-checks */
export const createHealthCheck: Door = (app, broker) => {
  app.openapi(createHealthCheckRoute, async (c) => {
    const runner = { orgId: c.get("actor").orgId, runnerId: c.req.valid("param").runner_id };
    const check = await insertHealthCheck(broker.db, runner, c.req.valid("json"));
    if (check === undefined) throw problem.notFound("process");
    return c.json(check, 201);
  });
};

import { flushRunnerRoute } from "../../../shared/api/control-runner-jobs.ts";
import type { Door } from "../../http/app-types.ts";
import { flushRunner as flushQueues } from "../../jobs/flush-runner.ts";

/** POST /v1/runners/{runner_id}/flush */
export const flushRunner: Door = (app, broker) => {
  app.openapi(flushRunnerRoute, async (c) => {
    const { orgId, id } = c.get("actor");
    const { runner_id: runnerId } = c.req.valid("param");
    const { group } = c.req.valid("json");
    const flushed = await flushQueues(broker, orgId, { runnerId, group, by: id });
    return c.json({ flushed }, 200);
  });
};

import { updateRunnerRoute } from "../../../shared/api/runners.ts";
import type { Door } from "../../http/app-types.ts";
import { showRunner } from "../../runners/show-runner.ts";
import { updateRunner as update } from "../../runners/update-runner.ts";

/** PATCH /v1/runners/{runner_id} */
export const updateRunner: Door = (app, broker) => {
  app.openapi(updateRunnerRoute, async (c) => {
    const { runner_id: id } = c.req.valid("param");
    const { orgId } = c.get("actor");
    await update(broker, orgId, { id, changes: c.req.valid("json") });
    return c.json(await showRunner(broker.db, orgId, id), 200);
  });
};

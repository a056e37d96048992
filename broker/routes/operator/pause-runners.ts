import { pauseRunnerRoute, resumeRunnerRoute } from "../../../shared/api/runners.ts";
import type { Door } from "../../http/app-types.ts";
import { pause, resume } from "../../runners/set-pause.ts";
import { showRunner } from "../../runners/show-runner.ts";

/** POST /v1/runners/{runner_id}/pause, …/resume */
export const pauseRunners: Door = (app, broker) => {
  app.openapi(pauseRunnerRoute, async (c) => {
    const { runner_id: id } = c.req.valid("param");
    const actor = c.get("actor");
    await pause(broker, actor, { id, ...c.req.valid("json") });
    return c.json(await showRunner(broker.db, actor.orgId, id), 200);
  });
  app.openapi(resumeRunnerRoute, async (c) => {
    const { runner_id: id } = c.req.valid("param");
    const actor = c.get("actor");
    await resume(broker, actor, { id, ...c.req.valid("json") });
    return c.json(await showRunner(broker.db, actor.orgId, id), 200);
  });
};

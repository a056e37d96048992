import { createRunnerRoute } from "../../../shared/api/runners.ts";
import type { Door } from "../../http/app-types.ts";
import { createRunner as create } from "../../runners/create-runner.ts";
import { showRunner } from "../../runners/show-runner.ts";

/** POST /v1/runners */
export const createRunner: Door = (app, broker) => {
  app.openapi(createRunnerRoute, async (c) => {
    const actor = c.get("actor");
    const id = await create(broker, actor, c.req.valid("json"));
    return c.json(await showRunner(broker.db, actor.orgId, id), 201);
  });
};

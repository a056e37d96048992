import { createRunnerGroupRoute } from "../../../shared/api/runner-groups.ts";
import type { Door } from "../../http/app-types.ts";
import { createRunnerGroup as create } from "../../runner-groups/create-runner-group.ts";
import { showRunnerGroup } from "../../runner-groups/show-runner-group.ts";

/** POST /v1/runner-groups */
export const createRunnerGroup: Door = (app, broker) => {
  app.openapi(createRunnerGroupRoute, async (c) => {
    const actor = c.get("actor");
    const id = await create(broker, actor, c.req.valid("json"));
    return c.json(await showRunnerGroup(broker.db, actor.orgId, id), 201);
  });
};

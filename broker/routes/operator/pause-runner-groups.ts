import {
  pauseRunnerGroupRoute,
  resumeRunnerGroupRoute,
} from "../../../shared/api/runner-groups.ts";
import type { Door } from "../../http/app-types.ts";
import { showRunnerGroup } from "../../runner-groups/show-runner-group.ts";
import { pause, resume } from "../../runners/set-pause.ts";

/** POST /v1/runner-groups/{runner_group_id}/pause, …/resume */
export const pauseRunnerGroups: Door = (app, broker) => {
  app.openapi(pauseRunnerGroupRoute, async (c) => {
    const { runner_group_id: id } = c.req.valid("param");
    const actor = c.get("actor");
    await pause(broker, actor, { id, ...c.req.valid("json") });
    return c.json(await showRunnerGroup(broker.db, actor.orgId, id), 200);
  });
  app.openapi(resumeRunnerGroupRoute, async (c) => {
    const { runner_group_id: id } = c.req.valid("param");
    const actor = c.get("actor");
    await resume(broker, actor, { id, ...c.req.valid("json") });
    return c.json(await showRunnerGroup(broker.db, actor.orgId, id), 200);
  });
};

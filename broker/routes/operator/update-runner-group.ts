import { updateRunnerGroupRoute } from "../../../shared/api/runner-groups.ts";
import type { Door } from "../../http/app-types.ts";
import { showRunnerGroup } from "../../runner-groups/show-runner-group.ts";
import { updateRunnerGroup as update } from "../../runner-groups/update-runner-group.ts";

/** PATCH /v1/runner-groups/{runner_group_id} */
export const updateRunnerGroup: Door = (app, broker) => {
  app.openapi(updateRunnerGroupRoute, async (c) => {
    const { runner_group_id: id } = c.req.valid("param");
    const { orgId } = c.get("actor");
    await update(broker, orgId, { id, changes: c.req.valid("json") });
    return c.json(await showRunnerGroup(broker.db, orgId, id), 200);
  });
};

import { deleteRunnerGroupRoute } from "../../../shared/api/runner-groups.ts";
import type { Door } from "../../http/app-types.ts";
import { deleteRunnerGroup as deleteGroup } from "../../runner-groups/delete-runner-group.ts";

/** DELETE /v1/runner-groups/{runner_group_id} */
export const deleteRunnerGroup: Door = (app, broker) => {
  app.openapi(deleteRunnerGroupRoute, async (c) => {
    await deleteGroup(broker, c.get("actor").orgId, c.req.valid("param").runner_group_id);
    return c.body(null, 204);
  });
};

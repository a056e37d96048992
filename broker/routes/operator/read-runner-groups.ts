import { getRunnerGroupRoute, listRunnerGroupsRoute } from "../../../shared/api/runner-groups.ts";
import { readPage, toPage } from "../../http/answer/paginate.ts";
import type { Door } from "../../http/app-types.ts";
import { listRunnerGroups } from "../../runner-groups/queries.ts";
import { showRunnerGroup } from "../../runner-groups/show-runner-group.ts";
import { toGroupMembers } from "../../runner-groups/to-group-members.ts";

/** GET /v1/runner-groups, GET /v1/runner-groups/{runner_group_id} */
export const readRunnerGroups: Door = (app, broker) => {
  app.openapi(listRunnerGroupsRoute, async (c) => {
    const { cursor, limit, ...filters } = c.req.valid("query");
    const { after } = readPage({ cursor, limit }, filters);
    const asked = { filters, after, limit: limit + 1 };
    const rows = await listRunnerGroups(broker.db, c.get("actor").orgId, asked);
    return c.json(toPage(c, rows, { limit, filters, toItem: toGroupMembers }), 200);
  });
  app.openapi(getRunnerGroupRoute, async (c) => {
    const { runner_group_id } = c.req.valid("param");
    return c.json(await showRunnerGroup(broker.db, c.get("actor").orgId, runner_group_id), 200);
  });
};

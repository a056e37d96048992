import { listRunnersRoute } from "../../../shared/api/runners.ts";
import { readPage, toPage } from "../../http/answer/paginate.ts";
import type { Door } from "../../http/app-types.ts";
import { listRunners as list } from "../../runners/queries.ts";
import { prepareToShow } from "../../runners/show-runner.ts";

/** GET /v1/runners */
export const listRunners: Door = (app, broker) => {
  app.openapi(listRunnersRoute, async (c) => {
    const { cursor, limit, ...filters } = c.req.valid("query");
    const { after } = readPage({ cursor, limit }, filters);
    const { orgId } = c.get("actor");
    const rows = await list(broker.db, orgId, { filters, after, limit: limit + 1 });
    const toItem = await prepareToShow(broker.db, orgId, rows);
    return c.json(toPage(c, rows, { limit, filters, toItem }), 200);
  });
};

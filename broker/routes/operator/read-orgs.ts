import { getCurrentOrgRoute, listOrgsRoute } from "../../../shared/api/orgs.ts";
import { problem } from "../../../shared/problem.ts";
import { hasVersion } from "../../http/answer/etag.ts";
import { readPage, toPage } from "../../http/answer/paginate.ts";
import type { Door } from "../../http/app-types.ts";
import { findOrg, listOrgs } from "../../orgs/queries.ts";
import { toOrg } from "../../orgs/to-org.ts";

/** GET /v1/orgs, GET /v1/orgs/current */
export const readOrgs: Door = (app, broker) => {
  app.openapi(listOrgsRoute, async (c) => {
    const { orgId, accountId } = c.get("actor");
    const page = readPage(c.req.valid("query"), {});
    const rows = await listOrgs(broker.db, orgId, accountId, page);
    return c.json(toPage(c, rows, { limit: page.limit, filters: {}, toItem: toOrg }), 200);
  });

  app.openapi(getCurrentOrgRoute, async (c) => {
    const org = await findOrg(broker.db, c.get("actor").orgId);
    if (org === undefined) throw problem.notFound("org");
    return hasVersion(c, org.version) ? c.body(null, 304) : c.json(toOrg(org), 200);
  });
};

import { updateCurrentOrgRoute } from "../../../shared/api/orgs.ts";
import { problem } from "../../../shared/problem.ts";
import { requiredVersion } from "../../http/answer/etag.ts";
import type { Door } from "../../http/app-types.ts";
import { updateOrg } from "../../orgs/queries.ts";
import { toOrg } from "../../orgs/to-org.ts";

/** PATCH /v1/orgs/current */
export const updateCurrentOrg: Door = (app, broker) => {
  app.openapi(updateCurrentOrgRoute, async (c) => {
    const { name } = c.req.valid("json");
    const version = requiredVersion(c);
    const org = await updateOrg(broker.db, c.get("actor").orgId, { name, version });
    if (org === undefined)
      throw problem.preconditionFailed("The org was changed by another request. Read it again.");
    return c.json(toOrg(org), 200);
  });
};

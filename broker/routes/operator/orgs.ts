import {
  createOrgRoute,
  getCurrentOrgRoute,
  listOrgsRoute,
  updateCurrentOrgRoute,
} from "../../../shared/api/orgs.ts";
import { problem } from "../../../shared/problem.ts";
import { hasVersion, requiredVersion } from "../../http/answer/etag.ts";
import { readPage, toPage } from "../../http/answer/paginate.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { createOrg as makeOrg } from "../../orgs/create-org.ts";
import { findOrg, listOrgs, updateOrg } from "../../orgs/queries.ts";
import { toOrg } from "../../orgs/to-org.ts";

/** POST /v1/orgs */
export const createOrg: RegisterRoutes = (app, broker) => {
  app.openapi(createOrgRoute, async (c) => {
    const actor = c.get("actor");
    const { name } = c.req.valid("json");
    const org = await makeOrg(broker.db, {
      name,
      createdById: actor.id,
      adminAccountId: actor.accountId,
    });
    if (actor.accountId !== null) broker.authenticator.forget([actor.accountId]);
    return c.json(toOrg(org), 201);
  });
};

/** GET /v1/orgs, GET /v1/orgs/current */
export const readOrgs: RegisterRoutes = (app, broker) => {
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

/** PATCH /v1/orgs/current */
export const updateCurrentOrg: RegisterRoutes = (app, broker) => {
  app.openapi(updateCurrentOrgRoute, async (c) => {
    const { name } = c.req.valid("json");
    const version = requiredVersion(c);
    const org = await updateOrg(broker.db, c.get("actor").orgId, { name, version });
    if (org === undefined)
      throw problem.preconditionFailed("The org was changed by another request. Read it again.");
    return c.json(toOrg(org), 200);
  });
};

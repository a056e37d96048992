import {
  createOrgRoute,
  getCurrentOrgRoute,
  listOrgsRoute,
  updateCurrentOrgRoute,
} from "../../../shared/api/orgs.ts";
import { problem } from "../../../shared/problem.ts";
import { type Retained, retainedKinds } from "../../../shared/retention.ts";
import { etagOf, hasVersion, requiredVersion } from "../../http/answer/etag.ts";
import { readPage, toPage } from "../../http/answer/paginate.ts";
import { setHeader } from "../../http/answer/set-header.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { changeOrg } from "../../orgs/change-org.ts";
import { createOrg as makeOrg } from "../../orgs/create-org.ts";
import { findOrg, listOrgs } from "../../orgs/queries.ts";
import type { OrgRow } from "../../orgs/row.ts";
import { toOrg } from "../../orgs/to-org.ts";
import { brokerDaysOf } from "../../retention/retention-settings.ts";

/** POST /v1/orgs */
export const createOrg: RegisterRoutes = (app, broker) => {
  const brokerDays = brokerDaysOf(broker.config);
  app.openapi(createOrgRoute, async (c) => {
    const actor = c.get("actor");
    const { name } = c.req.valid("json");
    const org = await makeOrg(broker.db, {
      name,
      createdById: actor.id,
      adminAccountId: actor.accountId,
      requestSeed: actor.requestSeed,
    });
    if (actor.accountId !== null) broker.authenticator.forget([actor.accountId]);
    return c.json(toOrg(org, brokerDays), 201);
  });
};

/** GET /v1/orgs, GET /v1/orgs/current */
export const readOrgs: RegisterRoutes = (app, broker) => {
  const brokerDays = brokerDaysOf(broker.config);
  const limits = limitsTag(brokerDays);
  const toItem = (row: OrgRow) => toOrg(row, brokerDays);
  app.openapi(listOrgsRoute, async (c) => {
    const { orgId, accountId } = c.get("actor");
    const { q, ...asked } = c.req.valid("query");
    const page = readPage(asked, { q });
    const rows = await listOrgs(broker.db, orgId, { accountId, q }, page);
    return c.json(toPage(c, rows, { limit: page.limit, filters: { q }, toItem }), 200);
  });

  app.openapi(getCurrentOrgRoute, async (c) => {
    const org = await findOrg(broker.db, c.get("actor").orgId);
    if (org === undefined) throw problem.notFound("org");
    return hasVersion(c, org.version, limits) ? c.body(null, 304) : c.json(toItem(org), 200);
  });
};

/** PATCH /v1/orgs/current */
export const updateCurrentOrg: RegisterRoutes = (app, broker) => {
  const brokerDays = brokerDaysOf(broker.config);
  app.openapi(updateCurrentOrgRoute, async (c) => {
    const changes = c.req.valid("json");
    const version = requiredVersion(c);
    const change = { changes, version, brokerDays };
    const org = await changeOrg(broker.db, c.get("actor").orgId, change);
    setHeader(c, "etag", etagOf(org.version, limitsTag(brokerDays)));
    return c.json(toOrg(org, brokerDays), 200);
  });
};

/** An org is shown with the days of this broker, which another start of it may change: so they are in its ETag. */
const limitsTag = (days: Readonly<Record<Retained, number>>): string =>
  retainedKinds.map((kind) => days[kind]).join(".");

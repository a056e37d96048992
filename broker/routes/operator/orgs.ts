import {
  createOrgRoute,
  getCurrentOrgRoute,
  listOrgsRoute,
  updateCurrentOrgRoute,
} from "../../../shared/api/orgs.ts";
import { problem } from "../../../shared/problem.ts";
import { type Retained, retainedKinds } from "../../../shared/retention.ts";
import type { ListRequest } from "../../database/page-request.ts";
import { answerList, splitQuery } from "../../http/answer/answer-list.ts";
import { answer } from "../../http/answer/answer.ts";
import { etagOf, hasVersion } from "../../http/answer/etag.ts";
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
  app.handle(
    createOrgRoute,
    async ({ actor, body: { name, use_sandbox_mode: sandboxMode, tags } }) => {
      const org = await makeOrg(broker.db, {
        name,
        sandboxMode,
        tags,
        createdById: actor.id,
        adminAccountId: actor.accountId,
        requestSeed: actor.requestSeed,
      });
      if (actor.accountId !== null) broker.authenticator.forget([actor.accountId]);
      return toOrg(org, brokerDays);
    },
  );
};

/** GET /v1/orgs, GET /v1/orgs/current */
export const readOrgs: RegisterRoutes = (app, broker) => {
  const brokerDays = brokerDaysOf(broker.config);
  const limits = limitsTag(brokerDays);
  const toItem = (row: OrgRow) => toOrg(row, brokerDays);
  app.handle(listOrgsRoute, async ({ c, actor: { orgId, accountId }, query }) => {
    const [page, { q }] = splitQuery(query);
    return await answerList(c, page, {
      filters: { q },
      read: (request: ListRequest) => listOrgs(broker.db, orgId, { accountId, q }, request),
      toItem,
    });
  });

  app.handle(getCurrentOrgRoute, async ({ c, orgId }) => {
    const org = await findOrg(broker.db, orgId);
    if (org === undefined) throw problem.notFound("org");
    return hasVersion(c, org.version, limits) ? answer(304) : answer(200, toItem(org));
  });
};

/** PATCH /v1/orgs/current */
export const updateCurrentOrg: RegisterRoutes = (app, broker) => {
  const brokerDays = brokerDaysOf(broker.config);
  app.handle(updateCurrentOrgRoute, async ({ c, orgId, body: changes, requiredVersion }) => {
    const version = requiredVersion();
    const change = { changes, version, brokerDays };
    const org = await changeOrg(broker.db, orgId, change);
    setHeader(c, "etag", etagOf(org.version, limitsTag(brokerDays)));
    return toOrg(org, brokerDays);
  });
};

/** An org is shown with the days of this broker, which another start of it may change: so they are in its ETag. */
const limitsTag = (days: Readonly<Record<Retained, number>>): string =>
  retainedKinds.map((kind) => days[kind]).join(".");

import {
  addOrgUserRoute,
  listOrgAccountsRoute,
  removeOrgUserRoute,
  setOrgAccountRoleRoute,
} from "../../../shared/api/org-accounts.ts";
import {
  getOrgFeaturesRoute,
  getOrgRunnerGroupRoute,
  getOrgStatsRoute,
  listOrgFeaturesRoute,
  updateOrgFeaturesRoute,
} from "../../../shared/api/org-features.ts";
import { orgFeatures } from "../../../shared/org-features.ts";
import { problem } from "../../../shared/problem.ts";
import { addMember } from "../../accounts/add-member.ts";
import { listMembers } from "../../accounts/queries.ts";
import { setAccountRoles } from "../../accounts/set-account-roles.ts";
import { removeMember, requireMember, showAccount } from "../../accounts/show-account.ts";
import { toAccount } from "../../accounts/to-account.ts";
import type { ListRequest } from "../../database/page-request.ts";
import { answerList } from "../../http/answer/answer-list.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { changeOrg } from "../../orgs/change-org.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import { countThings, findOrg } from "../../orgs/queries.ts";
import { featuresOf, toOrg } from "../../orgs/to-org.ts";
import { brokerDaysOf } from "../../retention/retention-settings.ts";
import { listRoles } from "../../roles/queries.ts";
import { findOwnGroup } from "../../runner-groups/queries.ts";
import { showRunnerGroup } from "../../runner-groups/show-runner-group.ts";

/** /v1/orgs/features, and features, stats, runner group and accounts of the current org */
export const keepCurrentOrg: RegisterRoutes = (app, broker) => {
  const { db, config } = broker;
  keepOrgAccounts(app, broker);
  const brokerDays = brokerDaysOf(config);
  const requireOrg = async (orgId: OrgId) => {
    const org = await findOrg(db, orgId);
    if (org === undefined) throw problem.notFound("org");
    return org;
  };
  app.handle(listOrgFeaturesRoute, () => [...orgFeatures]);
  app.handle(getOrgFeaturesRoute, async ({ orgId }) => featuresOf(await requireOrg(orgId)));
  app.handle(updateOrgFeaturesRoute, async ({ orgId, body: { features: changes } }) =>
    toOrg(await changeOrg(db, orgId, { changes, version: undefined, brokerDays }), brokerDays),
  );
  app.handle(getOrgStatsRoute, async ({ orgId }) => {
    const [org, counts] = await Promise.all([requireOrg(orgId), countThings(db, orgId)]);
    return { ...toOrg(org, brokerDays), ...counts };
  });
  app.handle(getOrgRunnerGroupRoute, async ({ orgId }) => {
    const id = await findOwnGroup(db, orgId);
    if (id === undefined) throw problem.notFound("runner group");
    return await showRunnerGroup(db, orgId, id);
  });
};

/** The accounts of the current org */
const keepOrgAccounts: RegisterRoutes = (app, { db, authenticator }) => {
  app.handle(listOrgAccountsRoute, async ({ c, actor: { orgId, accountId: viewer }, query }) => {
    const roles = await listRoles(db, orgId);
    return await answerList(c, query, {
      read: (page: ListRequest) => listMembers(db, orgId, { ...page, viewer, filter: {} }),
      toItem: (row) => toAccount(orgId, row, roles),
    });
  });
  app.handle(setOrgAccountRoleRoute, async ({ actor: by, params, body }) => {
    const { account_id: accountId } = params;
    const roles = [body.role_type];
    await setAccountRoles(db, by.orgId, { accountId, roles, by, pointer: "#/role_type" });
    authenticator.forget([accountId]);
    return await showAccount(db, by, accountId);
  });
  app.handle(addOrgUserRoute, async ({ actor, body: { user_id: accountId } }) => {
    await addMember(db, actor, accountId);
    authenticator.forget([accountId]);
    return await showAccount(db, actor, accountId);
  });
  app.handle(removeOrgUserRoute, async ({ actor, body: { user_id: accountId } }) => {
    const row = await requireMember(db, actor, accountId);
    const removed = await removeMember(db, actor, row);
    authenticator.forget([accountId]);
    return removed;
  });
};

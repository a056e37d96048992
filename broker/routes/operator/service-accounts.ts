import {
  createServiceAccountRoute,
  createServiceAccountTokenRoute,
  deleteServiceAccountRoute,
  listServiceAccountsRoute,
  setServiceAccountRoleRoute,
  updateServiceAccountRoute,
} from "../../../shared/api/service-accounts.ts";
import { problem } from "../../../shared/problem.ts";
import { createAccount } from "../../accounts/create-account.ts";
import { listMembers, renameServiceAccount } from "../../accounts/queries.ts";
import { setAccountRoles } from "../../accounts/set-account-roles.ts";
import { removeMember, requireServiceAccount, showAccount } from "../../accounts/show-account.ts";
import { toAccount } from "../../accounts/to-account.ts";
import type { ListRequest } from "../../database/page-request.ts";
import { answerList } from "../../http/answer/answer-list.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { listRoles } from "../../roles/queries.ts";
import { createServiceToken } from "../../tokens/create-service-token.ts";

/** /v1/service-accounts and all below it */
export const keepServiceAccounts: RegisterRoutes = (app, broker) => {
  const { db, authenticator } = broker;
  app.handle(listServiceAccountsRoute, async ({ c, actor, query }) => {
    const { orgId, accountId: viewer } = actor;
    const roles = await listRoles(db, orgId);
    const filter = { type: "service" };
    return await answerList(c, query, {
      read: (page: ListRequest) => listMembers(db, orgId, { ...page, viewer, filter }),
      toItem: (row) => toAccount(orgId, row, roles),
    });
  });
  app.handle(createServiceAccountRoute, async ({ actor: giver, body: { name, role } }) => {
    const { id } = await createAccount(db, giver.orgId, {
      accountType: "service",
      name,
      email: "",
      subject: "",
      roles: [role],
      createdById: giver.id,
      giver,
      pointer: "#/role",
    });
    return await showAccount(db, giver, id);
  });
  app.handle(updateServiceAccountRoute, async ({ actor, params: { account_id: id }, body }) => {
    const renamed = await renameServiceAccount(db, actor.orgId, { id, name: body.name });
    if (renamed === undefined) throw problem.notFound("account");
    if (renamed.is_elsewhere) {
      const detail = "This account has a role in another org, too: it keeps its name.";
      throw problem.conflict("account_elsewhere", detail);
    }
    return await showAccount(db, actor, id);
  });
  app.handle(deleteServiceAccountRoute, async ({ actor, params: { account_id: id } }) => {
    const row = await requireServiceAccount(db, actor, id);
    const removed = await removeMember(db, actor, row);
    authenticator.forget([id]);
    return removed;
  });
  app.handle(setServiceAccountRoleRoute, async ({ actor: by, params, body: { role } }) => {
    const { id: accountId } = await requireServiceAccount(db, by, params.account_id);
    const wanted = { accountId, roles: [role], by, pointer: "#/role" } as const;
    await setAccountRoles(db, by.orgId, wanted);
    authenticator.forget([accountId]);
    return await showAccount(db, by, accountId);
  });
  app.handle(createServiceAccountTokenRoute, async ({ actor, params, body }) => {
    const row = await requireServiceAccount(db, actor, params.account_id);
    const { duration: durationNs, invalidate: isOnly } = body;
    const made = await createServiceToken(broker, actor, row, { durationNs, isOnly });
    return { id: made.row.id, token: made.secret };
  });
};

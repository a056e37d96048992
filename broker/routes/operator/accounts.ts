import {
  createAccountRoute,
  getAccountRoute,
  listAccountsRoute,
  removeAccountRoute,
  setAccountRolesRoute,
} from "../../../shared/api/accounts.ts";
import {
  createRoleRoute,
  deleteRoleRoute,
  listRolesRoute,
  updateRoleRoute,
} from "../../../shared/api/roles.ts";
import { problem } from "../../../shared/problem.ts";
import { createAccount as makeAccount } from "../../accounts/create-account.ts";
import { findMember, listMembers } from "../../accounts/queries.ts";
import { setAccountRoles as setRoles } from "../../accounts/set-account-roles.ts";
import { toOrgAccount } from "../../accounts/to-account.ts";
import { answerList, splitQuery } from "../../http/answer/answer-list.ts";
import { answerShape } from "../../http/answer/answer-shape.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { createRole as makeRole, deleteRole, updateRole } from "../../roles/keep-roles.ts";
import { listRoles as findRoles } from "../../roles/queries.ts";
import { toRole } from "../../roles/to-role.ts";

/** /v1/roles and all below it */
export const keepRoles: RegisterRoutes = (app, { db }) => {
  app.handle(listRolesRoute, async ({ c, orgId }) => {
    const items = (await findRoles(db, orgId)).map(toRole);
    return answerShape(c, { items, next_cursor: null }, () => items);
  });
  app.handle(createRoleRoute, async ({ actor, body }) => toRole(await makeRole(db, actor, body)));
  app.handle(updateRoleRoute, async ({ actor, params: { role_id: id }, body }) =>
    toRole(await updateRole(db, actor, id, body)),
  );
  app.handle(deleteRoleRoute, async ({ orgId, params }) => {
    await deleteRole(db, orgId, params.role_id);
  });
};

/** /v1/accounts and all below it */
export const keepAccounts: RegisterRoutes = (app, broker) => {
  createAccount(app, broker);
  readAccounts(app, broker);
  changeAccounts(app, broker);
};

/** POST /v1/accounts */
const createAccount: RegisterRoutes = (app, broker) => {
  app.handle(createAccountRoute, async ({ actor: giver, body }) => {
    const { id: createdById, orgId } = giver;
    const { account_type: accountType, ...rest } = body;
    const row = await makeAccount(broker.db, orgId, { ...rest, accountType, createdById, giver });
    return toOrgAccount(row, await findRoles(broker.db, orgId));
  });
};

/** GET /v1/accounts, GET /v1/accounts/{account_id} */
const readAccounts: RegisterRoutes = (app, broker) => {
  app.handle(listAccountsRoute, async ({ c, actor: { orgId, accountId: viewer }, query }) => {
    const [page, filters] = splitQuery(query);
    return await answerList(c, page, {
      filters,
      read: (request) => listMembers(broker.db, orgId, { ...request, viewer, filter: filters }),
      toItems: async (rows) => {
        const roles = await findRoles(broker.db, orgId);
        return rows.map((row) => toOrgAccount(row, roles));
      },
    });
  });

  app.handle(
    getAccountRoute,
    async ({ actor: { orgId, accountId: viewer }, params: { account_id: id } }) => {
      const row = await findMember(broker.db, orgId, id, viewer);
      if (row === undefined) throw problem.notFound("account");
      return toOrgAccount(row, await findRoles(broker.db, orgId));
    },
  );
};

/** PUT /v1/accounts/{account_id}/roles, DELETE /v1/accounts/{account_id} */
const changeAccounts: RegisterRoutes = (app, broker) => {
  app.handle(
    setAccountRolesRoute,
    async ({ actor: by, params: { account_id: accountId }, body: { roles } }) => {
      const { orgId } = by;
      await setRoles(broker.db, orgId, { accountId, roles, by });
      broker.authenticator.forget([accountId]);
      const row = await findMember(broker.db, orgId, accountId, by.accountId);
      if (row === undefined) throw problem.notFound("account");
      return toOrgAccount(row, await findRoles(broker.db, orgId));
    },
  );
  app.handle(removeAccountRoute, async ({ actor: by, params: { account_id: accountId } }) => {
    const { orgId } = by;
    await setRoles(broker.db, orgId, { accountId, roles: [], by });
    broker.authenticator.forget([accountId]);
  });
};

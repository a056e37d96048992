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
import { toAccount } from "../../accounts/to-account.ts";
import { readPage, toPage } from "../../http/answer/paginate.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { createRole as makeRole, deleteRole, updateRole } from "../../roles/keep-roles.ts";
import { listRoles as findRoles } from "../../roles/queries.ts";
import { toRole } from "../../roles/to-role.ts";

/** GET /v1/roles */
export const listRoles: RegisterRoutes = (app, broker) => {
  app.openapi(listRolesRoute, async (c) => {
    const rows = await findRoles(broker.db, c.get("actor").orgId);
    return c.json({ items: rows.map(toRole), next_cursor: null }, 200);
  });
};

/** POST /v1/roles, PATCH and DELETE /v1/roles/{role_id} */
export const keepRoles: RegisterRoutes = (app, { db }) => {
  app.openapi(createRoleRoute, async (c) => {
    return c.json(toRole(await makeRole(db, c.get("actor"), c.req.valid("json"))), 201);
  });
  app.openapi(updateRoleRoute, async (c) => {
    const { role_id: id } = c.req.valid("param");
    return c.json(toRole(await updateRole(db, c.get("actor"), id, c.req.valid("json"))), 200);
  });
  app.openapi(deleteRoleRoute, async (c) => {
    await deleteRole(db, c.get("actor").orgId, c.req.valid("param").role_id);
    return c.body(null, 204);
  });
};

/** POST /v1/accounts */
export const createAccount: RegisterRoutes = (app, broker) => {
  app.openapi(createAccountRoute, async (c) => {
    const giver = c.get("actor");
    const { id: createdById, orgId } = giver;
    const { account_type: accountType, ...rest } = c.req.valid("json");
    const row = await makeAccount(broker.db, orgId, { ...rest, accountType, createdById, giver });
    return c.json(toAccount(row, await findRoles(broker.db, orgId)), 201);
  });
};

/** GET /v1/accounts, GET /v1/accounts/{account_id} */
export const readAccounts: RegisterRoutes = (app, broker) => {
  app.openapi(listAccountsRoute, async (c) => {
    const { orgId, accountId: viewer } = c.get("actor");
    const { cursor, limit: most, ...filters } = c.req.valid("query");
    const page = readPage({ cursor, limit: most }, filters);
    const [rows, roles] = await Promise.all([
      listMembers(broker.db, orgId, { ...page, viewer, filter: filters }),
      findRoles(broker.db, orgId),
    ]);
    const toItem = (row: (typeof rows)[number]) => toAccount(row, roles);
    return c.json(toPage(c, rows, { limit: page.limit, filters, toItem }), 200);
  });

  app.openapi(getAccountRoute, async (c) => {
    const { orgId, accountId: viewer } = c.get("actor");
    const { account_id: id } = c.req.valid("param");
    const row = await findMember(broker.db, orgId, id, viewer);
    if (row === undefined) throw problem.notFound("account");
    return c.json(toAccount(row, await findRoles(broker.db, orgId)), 200);
  });
};

/** PUT /v1/accounts/{account_id}/roles, DELETE /v1/accounts/{account_id} */
export const changeAccounts: RegisterRoutes = (app, broker) => {
  app.openapi(setAccountRolesRoute, async (c) => {
    const by = c.get("actor");
    const { orgId } = by;
    const { account_id: accountId } = c.req.valid("param");
    const { roles } = c.req.valid("json");
    await setRoles(broker.db, orgId, { accountId, roles, by });
    broker.authenticator.forget([accountId]);
    const row = await findMember(broker.db, orgId, accountId, by.accountId);
    if (row === undefined) throw problem.notFound("account");
    return c.json(toAccount(row, await findRoles(broker.db, orgId)), 200);
  });
  app.openapi(removeAccountRoute, async (c) => {
    const by = c.get("actor");
    const { orgId } = by;
    const { account_id: accountId } = c.req.valid("param");
    await setRoles(broker.db, orgId, { accountId, roles: [], by });
    broker.authenticator.forget([accountId]);
    return c.body(null, 204);
  });
};

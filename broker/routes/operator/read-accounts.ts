import { getAccountRoute, listAccountsRoute } from "../../../shared/api/accounts.ts";
import { problem } from "../../../shared/problem.ts";
import { findMember, listMembers } from "../../accounts/queries.ts";
import { toAccount } from "../../accounts/to-account.ts";
import { readPage, toPage } from "../../http/answer/paginate.ts";
import type { Door } from "../../http/app-types.ts";
import { listRoles } from "../../roles/queries.ts";

/** GET /v1/accounts, GET /v1/accounts/{account_id} */
export const readAccounts: Door = (app, broker) => {
  app.openapi(listAccountsRoute, async (c) => {
    const { orgId } = c.get("actor");
    const page = readPage(c.req.valid("query"), {});
    const [rows, roles] = await Promise.all([
      listMembers(broker.db, orgId, page),
      listRoles(broker.db, orgId),
    ]);
    const toItem = (row: (typeof rows)[number]) => toAccount(row, orgId, roles);
    return c.json(toPage(c, rows, { limit: page.limit, filters: {}, toItem }), 200);
  });

  app.openapi(getAccountRoute, async (c) => {
    const { orgId } = c.get("actor");
    const row = await findMember(broker.db, orgId, c.req.valid("param").account_id);
    if (row === undefined) throw problem.notFound("account");
    return c.json(toAccount(row, orgId, await listRoles(broker.db, orgId)), 200);
  });
};

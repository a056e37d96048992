import { setAccountRolesRoute } from "../../../shared/api/accounts.ts";
import { problem } from "../../../shared/problem.ts";
import { findMember } from "../../accounts/queries.ts";
import { setAccountRoles as setRoles } from "../../accounts/set-account-roles.ts";
import { toAccount } from "../../accounts/to-account.ts";
import type { Door } from "../../http/app-types.ts";
import { listRoles } from "../../roles/queries.ts";

/** PUT /v1/accounts/{account_id}/roles */
export const setAccountRoles: Door = (app, broker) => {
  app.openapi(setAccountRolesRoute, async (c) => {
    const by = c.get("actor");
    const { orgId } = by;
    const { account_id: accountId } = c.req.valid("param");
    const { roles } = c.req.valid("json");
    await setRoles(broker.db, orgId, { accountId, roles, by });
    broker.authenticator.forget([accountId]);
    const row = await findMember(broker.db, orgId, accountId);
    if (row === undefined) throw problem.notFound("account");
    return c.json(toAccount(row, orgId, await listRoles(broker.db, orgId)), 200);
  });
};

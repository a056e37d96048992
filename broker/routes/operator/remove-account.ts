import { removeAccountRoute } from "../../../shared/api/accounts.ts";
import { setAccountRoles } from "../../accounts/set-account-roles.ts";
import type { Door } from "../../http/app-types.ts";

/** DELETE /v1/accounts/{account_id} */
export const removeAccount: Door = (app, broker) => {
  app.openapi(removeAccountRoute, async (c) => {
    const by = c.get("actor");
    const { orgId } = by;
    const { account_id: accountId } = c.req.valid("param");
    await setAccountRoles(broker.db, orgId, { accountId, roles: [], by });
    broker.authenticator.forget([accountId]);
    return c.body(null, 204);
  });
};

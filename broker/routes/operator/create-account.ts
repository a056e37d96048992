import { createAccountRoute } from "../../../shared/api/accounts.ts";
import { createAccount as create } from "../../accounts/create-account.ts";
import { toAccount } from "../../accounts/to-account.ts";
import type { Door } from "../../http/app-types.ts";
import { listRoles } from "../../roles/queries.ts";

/** POST /v1/accounts */
export const createAccount: Door = (app, broker) => {
  app.openapi(createAccountRoute, async (c) => {
    const giver = c.get("actor");
    const { id: createdById, orgId } = giver;
    const { account_type: accountType, ...rest } = c.req.valid("json");
    const row = await create(broker.db, orgId, { ...rest, accountType, createdById, giver });
    return c.json(toAccount(row, orgId, await listRoles(broker.db, orgId)), 201);
  });
};

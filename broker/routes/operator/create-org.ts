import { createOrgRoute } from "../../../shared/api/orgs.ts";
import type { Door } from "../../http/app-types.ts";
import { createOrg as create } from "../../orgs/create-org.ts";
import { toOrg } from "../../orgs/to-org.ts";

/** POST /v1/orgs */
export const createOrg: Door = (app, broker) => {
  app.openapi(createOrgRoute, async (c) => {
    const actor = c.get("actor");
    const { name } = c.req.valid("json");
    const org = await create(broker.db, {
      name,
      createdById: actor.id,
      adminAccountId: actor.accountId,
    });
    if (actor.accountId !== null) broker.authenticator.forget([actor.accountId]);
    return c.json(toOrg(org), 201);
  });
};

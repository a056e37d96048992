import { createTokenRoute } from "../../../shared/api/tokens.ts";
import type { Door } from "../../http/app-types.ts";
import { createToken as create } from "../../tokens/create-token.ts";
import { toTokenWithSecret } from "../../tokens/to-token.ts";
import { reachOfNew } from "../../tokens/token-rules.ts";

/** POST /v1/tokens */
export const createToken: Door = (app, broker) => {
  app.openapi(createTokenRoute, async (c) => {
    const actor = c.get("actor");
    const body = c.req.valid("json");
    const reach = reachOfNew(actor, {
      kind: body.kind,
      accountId: body.account_id,
      role: body.role,
      grants: body.grants,
      isAdmin: body.token_type === "admin",
    });
    const made = await create(broker.db, actor.orgId, {
      name: body.name,
      kind: body.kind,
      role: body.role,
      grants: body.grants,
      accountId: body.account_id,
      runnerId: body.runner_id,
      tokenType: body.token_type,
      issuer: body.issuer,
      sourceId: body.source_id,
      sourceType: body.source_type,
      expiresAt: body.expires_at,
      createdById: actor.id,
      reach,
    });
    return c.json(toTokenWithSecret(made), 201);
  });
};

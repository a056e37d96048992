import { createTokenRoute } from "../../../shared/api/tokens.ts";
import { problem } from "../../../shared/problem.ts";
import type { Door } from "../../http/app-types.ts";
import { createToken as create } from "../../tokens/create-token.ts";
import { toTokenWithSecret } from "../../tokens/to-token.ts";

/** POST /v1/tokens */
export const createToken: Door = (app, broker) => {
  app.openapi(createTokenRoute, async (c) => {
    const actor = c.get("actor");
    const body = c.req.valid("json");
    if (body.token_type === "admin" && !actor.permissions.has("orgs.create")) {
      throw problem.forbidden("admin_only", "Only a token of type admin may make another.");
    }
    const made = await create(broker.db, actor.orgId, {
      name: body.name,
      kind: body.kind,
      role: body.role,
      accountId: body.account_id,
      runnerId: body.runner_id,
      tokenType: body.token_type,
      issuer: body.issuer,
      sourceId: body.source_id,
      sourceType: body.source_type,
      expiresAt: body.expires_at,
      createdById: actor.id,
    });
    return c.json(toTokenWithSecret(made), 201);
  });
};

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
    // A person's token reaches all orgs of its account: whoever runs one of them may not make it.
    const isOthers = body.kind === "pat" && body.account_id !== actor.accountId;
    if ((isOthers || body.token_type === "admin") && !actor.permissions.has("orgs.create")) {
      const detail = "Only a token of type admin may make another, or a token for another account.";
      throw problem.forbidden("admin_only", detail);
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

import { rotateOwnTokenRoute, rotateTokenRoute } from "../../../shared/api/tokens.ts";
import type { Door } from "../../http/app-types.ts";
import { findOwnToken } from "../../tokens/find-own-token.ts";
import { rotateToken as rotate } from "../../tokens/rotate-token.ts";
import { toTokenWithSecret } from "../../tokens/to-token.ts";

/** POST /v1/tokens/current/rotate, POST /v1/tokens/{token_id}/rotate */
export const rotateToken: Door = (app, broker) => {
  app.openapi(rotateOwnTokenRoute, async (c) => {
    const actor = c.get("actor");
    const own = await findOwnToken(broker.db, actor);
    const made = await rotate(broker.db, own.org_id, {
      tokenId: own.id,
      byId: actor.id,
      byAccountId: actor.accountId,
      mayAdminister: true, // its own
    });
    return c.json(toTokenWithSecret(made), 201);
  });

  app.openapi(rotateTokenRoute, async (c) => {
    const { id: byId, accountId: byAccountId, orgId, permissions } = c.get("actor");
    const { token_id: tokenId } = c.req.valid("param");
    const mayAdminister = permissions.has("orgs.create");
    const rotation = { tokenId, byId, byAccountId, mayAdminister };
    const made = await rotate(broker.db, orgId, rotation);
    return c.json(toTokenWithSecret(made), 201);
  });
};

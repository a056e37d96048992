import { rotateOwnTokenRoute, rotateTokenRoute } from "../../../shared/api/tokens.ts";
import { problem } from "../../../shared/problem.ts";
import type { Door } from "../../http/app-types.ts";
import { findOwnToken } from "../../tokens/find-own-token.ts";
import { findToken } from "../../tokens/queries.ts";
import { rotateToken as rotate } from "../../tokens/rotate-token.ts";
import { toTokenWithSecret } from "../../tokens/to-token.ts";
import { requireChange } from "../../tokens/token-rules.ts";

/** POST /v1/tokens/current/rotate, POST /v1/tokens/{token_id}/rotate */
export const rotateToken: Door = (app, broker) => {
  app.openapi(rotateOwnTokenRoute, async (c) => {
    const actor = c.get("actor");
    const own = await findOwnToken(broker.db, actor);
    const made = await rotate(broker.db, own.org_id, { token: own, byId: actor.id });
    return c.json(toTokenWithSecret(made), 201);
  });

  app.openapi(rotateTokenRoute, async (c) => {
    const actor = c.get("actor");
    const token = await findToken(broker.db, actor.orgId, c.req.valid("param").token_id);
    if (token === undefined) throw problem.notFound("token");
    requireChange(actor, "rotate", token);
    const made = await rotate(broker.db, actor.orgId, { token, byId: actor.id });
    return c.json(toTokenWithSecret(made), 201);
  });
};

import { getOwnTokenRoute, getTokenRoute, listTokensRoute } from "../../../shared/api/tokens.ts";
import { problem } from "../../../shared/problem.ts";
import { readPage, toPage } from "../../http/answer/paginate.ts";
import type { Door } from "../../http/app-types.ts";
import { findOwnToken } from "../../tokens/find-own-token.ts";
import { findToken, listTokens } from "../../tokens/queries.ts";
import { toToken } from "../../tokens/to-token.ts";

/** GET /v1/tokens, GET /v1/tokens/current, GET /v1/tokens/{token_id} */
export const readTokens: Door = (app, broker) => {
  app.openapi(listTokensRoute, async (c) => {
    const { cursor, limit, ...filters } = c.req.valid("query");
    const page = readPage({ cursor, limit }, filters);
    const rows = await listTokens(broker.db, c.get("actor").orgId, filters, page);
    return c.json(toPage(c, rows, { limit, filters, toItem: toToken }), 200);
  });

  app.openapi(getOwnTokenRoute, async (c) => {
    const actor = c.get("actor");
    const row = await findOwnToken(broker.db, actor);
    return c.json({ ...toToken(row), permissions: [...actor.permissions] }, 200);
  });

  app.openapi(getTokenRoute, async (c) => {
    const row = await findToken(broker.db, c.get("actor").orgId, c.req.valid("param").token_id);
    if (row === undefined) throw problem.notFound("token");
    return c.json(toToken(row), 200);
  });
};

import { revokeTokenRoute } from "../../../shared/api/tokens.ts";
import type { Door } from "../../http/app-types.ts";
import { revokeToken as revoke } from "../../tokens/revoke-token.ts";
import { toToken } from "../../tokens/to-token.ts";

/** DELETE /v1/tokens/{token_id} */
export const revokeToken: Door = (app, broker) => {
  app.openapi(revokeTokenRoute, async (c) => {
    const { token_id } = c.req.valid("param");
    return c.json(toToken(await revoke(broker, c.get("actor"), token_id)), 200);
  });
};

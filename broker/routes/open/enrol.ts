import { enrolRoute } from "../../../shared/api/enrolment.ts";
import type { Door } from "../../http/app-types.ts";
import { limitByAddress } from "../../http/limit-by-address.ts";
import { bearerOf } from "../../tokens/bearer.ts";
import { enrol as exchange } from "../../tokens/enrol.ts";
import { toTokenWithSecret } from "../../tokens/to-token.ts";

/** A whole fleet may enrol from behind one address; who tries tokens out is slowed down. */
const perAddressPerS = 20;

/** POST /v1/enrol */
export const enrol: Door = (app, broker) => {
  const take = limitByAddress(broker, perAddressPerS);
  app.openapi(enrolRoute, async (c) => {
    take(c);
    const bootSecret = bearerOf(c.req.header("authorization"));
    return c.json(toTokenWithSecret(await exchange(broker.db, bootSecret)), 201);
  });
};

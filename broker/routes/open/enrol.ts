import { enrolRoute } from "../../../shared/api/enrolment.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { limitByAddress } from "../../http/limits/limit-by-address.ts";
import { anybody } from "../../limits/permits.ts";
import { bearerOf } from "../../tokens/bearer.ts";
import { enrol as exchange, findEnroller } from "../../tokens/enrol.ts";
import { toTokenWithSecret } from "../../tokens/token-rows.ts";

/** A whole fleet may enrol from one address; a client that tries out tokens is slowed down. */
const perAddressPerS = 20;

/** POST /v1/enrol */
export const enrol: RegisterRoutes = (app, broker) => {
  const take = limitByAddress(broker, perAddressPerS);
  app.handle(enrolRoute, async ({ c }) => {
    take(c);
    const bootSecret = bearerOf(c.req.header("authorization"));
    const enroller = await broker.permits.run(anybody, () => findEnroller(broker.db, bootSecret));
    // A token that nobody ever made is of no org: there is nobody to tell.
    if (enroller !== undefined) await c.get("beginAct")?.(enroller);
    const made = await broker.permits.run(anybody, () => exchange(broker.db, bootSecret));
    return toTokenWithSecret(made);
  });
};

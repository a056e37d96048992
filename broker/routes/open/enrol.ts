import { enrolRoute } from "../../../shared/api/enrolment.ts";
import type { Door } from "../../http/app-types.ts";
import { bearerOf } from "../../tokens/bearer.ts";
import { enrol as exchange } from "../../tokens/enrol.ts";
import { toTokenWithSecret } from "../../tokens/to-token.ts";

/** POST /v1/enrol */
export const enrol: Door = (app, broker) => {
  app.openapi(enrolRoute, async (c) => {
    const bootSecret = bearerOf(c.req.header("authorization"));
    return c.json(toTokenWithSecret(await exchange(broker.db, bootSecret)), 201);
  });
};

import { createEnrolmentTokenRoute } from "../../../shared/api/enrolment.ts";
import type { Door } from "../../http/app-types.ts";
import { createEnrolmentToken as create } from "../../tokens/create-enrolment-token.ts";
import { toTokenWithSecret } from "../../tokens/to-token.ts";

/** POST /v1/runners/{runner_id}/enrolment-tokens */
export const createEnrolmentToken: Door = (app, broker) => {
  app.openapi(createEnrolmentTokenRoute, async (c) => {
    const { id: createdById, orgId } = c.get("actor");
    const { runner_id: runnerId } = c.req.valid("param");
    const made = await create(broker.db, orgId, { runnerId, createdById });
    return c.json(toTokenWithSecret(made), 201);
  });
};

import { registerProcessRoute } from "../../../shared/api/runner-process.ts";
import type { Door } from "../../http/app-types.ts";
import { registerProcess as register } from "../../processes/register-process.ts";

/** POST /v1/runners/{runner_id}/processes */
export const registerProcess: Door = (app, broker) => {
  app.openapi(registerProcessRoute, async (c) => {
    const runner = { orgId: c.get("actor").orgId, runnerId: c.req.valid("param").runner_id };
    return c.json(await register(broker, runner, c.req.valid("json")), 201);
  });
};

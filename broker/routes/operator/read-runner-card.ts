import { getRunnerCardRoute, getRunnerConnectionRoute } from "../../../shared/api/runner-card.ts";
import type { Door } from "../../http/app-types.ts";
import { showCard, showConnection } from "../../runners/show-card.ts";

/** GET /v1/runners/{runner_id}/connected, …/card-details */
export const readRunnerCard: Door = (app, broker) => {
  app.openapi(getRunnerConnectionRoute, async (c) => {
    const { runner_id } = c.req.valid("param");
    return c.json(await showConnection(broker.db, c.get("actor").orgId, runner_id), 200);
  });
  app.openapi(getRunnerCardRoute, async (c) => {
    const { runner_id } = c.req.valid("param");
    return c.json(await showCard(broker.db, c.get("actor").orgId, runner_id), 200);
  });
};

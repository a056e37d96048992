import { listRecentHealthChecksRoute } from "../../../shared/api/health-check.ts";
import { getLatestHeartBeatsRoute } from "../../../shared/api/heart-beat.ts";
import { problem } from "../../../shared/problem.ts";
import type { Broker } from "../../broker.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import { listRecentHealthChecks } from "../../processes/health-checks.ts";
import { latestHeartBeats } from "../../processes/latest-heart-beats.ts";
import { findRunner } from "../../runners/queries.ts";

/** GET /v1/runners/{runner_id}/heart-beats/latest, GET /v1/runners/{runner_id}/recent-health-checks */
export const readHeartBeats: RegisterRoutes = (app, broker) => {
  app.openapi(getLatestHeartBeatsRoute, async (c) => {
    const { orgId } = c.get("actor");
    const { runner_id: runnerId } = c.req.valid("param");
    await requireKnown(broker, orgId, runnerId);
    return c.json(await latestHeartBeats(broker.db, orgId, runnerId), 200);
  });

  app.openapi(listRecentHealthChecksRoute, async (c) => {
    const { orgId } = c.get("actor");
    const { runner_id: runnerId } = c.req.valid("param");
    const { window: windowNs, process_id: processId, ...page } = c.req.valid("query");
    await requireKnown(broker, orgId, runnerId);
    const asked = { windowNs, processId, ...page };
    return c.json(await listRecentHealthChecks(broker.db, { orgId, runnerId }, asked), 200);
  });
};

async function requireKnown(broker: Broker, orgId: OrgId, runnerId: string): Promise<void> {
  if ((await findRunner(broker.db, orgId, runnerId)) === undefined)
    throw problem.notFound("runner");
}

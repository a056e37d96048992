import { listRecentHealthChecksRoute } from "../../../shared/api/health-check.ts";
import {
  getLatestHeartBeatRoute,
  getLatestHeartBeatsRoute,
  getProcessHeartBeatRoute,
} from "../../../shared/api/heart-beat.ts";
import { problem } from "../../../shared/problem.ts";
import type { Broker } from "../../broker.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import { listRecentHealthChecks } from "../../processes/health-checks.ts";
import { latestHeartBeat, latestHeartBeats } from "../../processes/latest-heart-beats.ts";
import { findRunner } from "../../runners/queries.ts";

/** GET /v1/runners/{runner_id}/heart-beats/latest, …/latest-heart-beat, …/processes/{process_id}/heart-beats/latest, GET /v1/runners/{runner_id}/recent-health-checks */
export const readHeartBeats: RegisterRoutes = (app, broker) => {
  app.handle(getLatestHeartBeatsRoute, async ({ orgId, params: { runner_id: runnerId } }) => {
    await requireKnown(broker, orgId, runnerId);
    return await latestHeartBeats(broker.db, orgId, runnerId);
  });
  app.handle(getLatestHeartBeatRoute, async ({ orgId, params: { runner_id: runnerId } }) => {
    await requireKnown(broker, orgId, runnerId);
    return await latestHeartBeat(broker.db, orgId, { runnerId });
  });
  app.handle(getProcessHeartBeatRoute, async ({ orgId, params }) => {
    const { runner_id: runnerId, process_id: processId } = params;
    await requireKnown(broker, orgId, runnerId);
    return await latestHeartBeat(broker.db, orgId, { runnerId, processId });
  });

  app.handle(
    listRecentHealthChecksRoute,
    async ({ orgId, params: { runner_id: runnerId }, query }) => {
      const { window: windowNs, process_id: processId, ...page } = query;
      await requireKnown(broker, orgId, runnerId);
      const asked = { windowNs, processId, ...page };
      return await listRecentHealthChecks(broker.db, { orgId, runnerId }, asked);
    },
  );
};

async function requireKnown(broker: Broker, orgId: OrgId, runnerId: string): Promise<void> {
  if ((await findRunner(broker.db, orgId, runnerId)) === undefined)
    throw problem.notFound("runner");
}

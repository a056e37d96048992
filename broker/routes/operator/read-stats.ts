import { getWebhookStatsRoute, getWorkflowStatsRoute } from "../../../shared/api/activity-stats.ts";
import { getJobStatsRoute } from "../../../shared/api/job-stats.ts";
import {
  getRunnerAvailabilityRoute,
  getRunnerStripsRoute,
} from "../../../shared/api/runner-availability.ts";
import { getStatsOverviewRoute } from "../../../shared/api/stats-overview.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { readWebhookStats, readWorkflowStats } from "../../stats/read-activity.ts";
import { readAvailability, readStrips } from "../../stats/read-availability.ts";
import { readJobStats } from "../../stats/read-job-stats.ts";
import { readOverview } from "../../stats/read-overview.ts";

/** GET /v1/stats/overview, /v1/stats/jobs, /v1/stats/workflows, /v1/stats/webhooks, /v1/stats/runners, /v1/runners/{runner_id}/availability */
export const readStats: RegisterRoutes = (app, broker) => {
  app.openapi(getStatsOverviewRoute, async (c) =>
    c.json(await readOverview(broker.db, c.get("actor")), 200),
  );
  app.openapi(getJobStatsRoute, async (c) => {
    const { group, type, runner_group_id, ...asked } = c.req.valid("query");
    const filter = { group, type, runner_group_id };
    return c.json(await readJobStats(broker, c.get("actor").orgId, { ...asked, filter }), 200);
  });
  app.openapi(getWorkflowStatsRoute, async (c) =>
    c.json(await readWorkflowStats(broker, c.get("actor").orgId, c.req.valid("query")), 200),
  );
  app.openapi(getWebhookStatsRoute, async (c) =>
    c.json(await readWebhookStats(broker, c.get("actor").orgId, c.req.valid("query")), 200),
  );
  app.openapi(getRunnerStripsRoute, async (c) => {
    const { ids } = c.req.valid("query");
    return c.json(await readStrips(broker, c.get("actor").orgId, ids), 200);
  });
  app.openapi(getRunnerAvailabilityRoute, async (c) => {
    const { runner_id: runnerId } = c.req.valid("param");
    const windowMs = c.req.valid("query").window / 1e6;
    const asked = { runnerId, windowMs };
    return c.json(await readAvailability(broker, c.get("actor").orgId, asked), 200);
  });
};

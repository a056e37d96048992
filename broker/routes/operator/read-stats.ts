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
  app.handle(getStatsOverviewRoute, async ({ actor }) => await readOverview(broker.db, actor));
  app.handle(getJobStatsRoute, async ({ orgId, query }) => {
    const { group, type, runner_group_id, ...asked } = query;
    const filter = { group, type, runner_group_id };
    return await readJobStats(broker, orgId, { ...asked, filter });
  });
  app.handle(
    getWorkflowStatsRoute,
    async ({ orgId, query }) => await readWorkflowStats(broker, orgId, query),
  );
  app.handle(
    getWebhookStatsRoute,
    async ({ orgId, query }) => await readWebhookStats(broker, orgId, query),
  );
  app.handle(
    getRunnerStripsRoute,
    async ({ orgId, query: { ids } }) => await readStrips(broker, orgId, ids),
  );
  app.handle(
    getRunnerAvailabilityRoute,
    async ({ orgId, params: { runner_id: runnerId }, query }) => {
      const windowMs = query.window / 1e6;
      const asked = { runnerId, windowMs };
      return await readAvailability(broker, orgId, asked);
    },
  );
};

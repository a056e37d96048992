import {
  getJobMetricsRoute,
  getJobTracesRoute,
  getRunnerMetricsRoute,
} from "../../../shared/api/telemetry.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import {
  readJobMetrics,
  readJobTraces,
  readRunnerMetrics,
} from "../../telemetry/read-telemetry.ts";

/** GET of a job's spans and metrics, and of a runner's metrics. */
export const readTelemetry: RegisterRoutes = (app, { db }) => {
  app.handle(
    getJobTracesRoute,
    async ({ c, params: { job_id: jobId } }) =>
      await readJobTraces(db, orgOf(c), { jobId, runnerId: runnerOf(c) }),
  );
  app.handle(
    getJobMetricsRoute,
    async ({ c, params: { job_id: jobId } }) =>
      await readJobMetrics(db, orgOf(c), { jobId, runnerId: runnerOf(c) }),
  );
  app.handle(
    getRunnerMetricsRoute,
    async ({ c, params }) => await readRunnerMetrics(db, orgOf(c), params.runner_id),
  );
};

const orgOf = (c: AppContext) => c.get("actor").orgId;
const runnerOf = (c: AppContext) => c.get("actor").runnerId;

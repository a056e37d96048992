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
  app.openapi(getJobTracesRoute, async (c) => {
    const { job_id: jobId } = c.req.valid("param");
    return c.json(await readJobTraces(db, orgOf(c), { jobId, runnerId: runnerOf(c) }), 200);
  });
  app.openapi(getJobMetricsRoute, async (c) => {
    const { job_id: jobId } = c.req.valid("param");
    return c.json(await readJobMetrics(db, orgOf(c), { jobId, runnerId: runnerOf(c) }), 200);
  });
  app.openapi(getRunnerMetricsRoute, async (c) =>
    c.json(await readRunnerMetrics(db, orgOf(c), c.req.valid("param").runner_id), 200),
  );
};

const orgOf = (c: AppContext) => c.get("actor").orgId;
const runnerOf = (c: AppContext) => c.get("actor").runnerId;

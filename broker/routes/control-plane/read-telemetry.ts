import {
  getJobMetricsRoute,
  getJobTracesRoute,
  getRunnerMetricsRoute,
  listLogStreamSpansRoute,
} from "../../../shared/api/telemetry.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import {
  readJobMetrics,
  readJobTraces,
  readRunnerMetrics,
  readStreamSpans,
} from "../../telemetry/read-telemetry.ts";

/** GET of a job's spans and metrics, of a log stream's spans, and of a runner's metrics. */
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
    listLogStreamSpansRoute,
    async ({ c, params: { log_stream_id: streamId } }) =>
      await readStreamSpans(db, orgOf(c), { streamId, runnerId: runnerOf(c) }),
  );
  app.handle(
    getRunnerMetricsRoute,
    async ({ c, params }) => await readRunnerMetrics(db, orgOf(c), params.runner_id),
  );
};

const orgOf = (c: AppContext) => c.get("actor").orgId;
const runnerOf = (c: AppContext) => c.get("actor").runnerId;

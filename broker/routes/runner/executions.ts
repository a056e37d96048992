import { setJobStatusRoute } from "../../../shared/api/control-runner-jobs.ts";
import { reportProgressRoute } from "../../../shared/api/execution-progress.ts";
import { createExecutionRoute } from "../../../shared/api/poll-jobs.ts";
import {
  giveBackExecutionRoute,
  updateExecutionRoute,
} from "../../../shared/api/report-executions.ts";
import { claimJob } from "../../executions/claim-job.ts";
import { recordProgress } from "../../executions/record-progress.ts";
import { recordReport } from "../../executions/record-report.ts";
import { toExecution, toFinished } from "../../executions/to-execution.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { setJobStatus as moveJob } from "../../jobs/set-job-status.ts";
import { toRunnerJob } from "../../jobs/to-runner-job.ts";

/** POST /v1/runner-jobs/{job_id}/executions: this is how a third-party runner claims. */
export const createExecution: RegisterRoutes = (app, broker) => {
  app.handle(createExecutionRoute, async ({ actor, params }) => {
    const execution = await claimJob(broker, actor, params.job_id);
    return toExecution(execution);
  });
};

/** PATCH /v1/runner-jobs/{job_id}/executions/{execution_id} */
export const updateExecution: RegisterRoutes = (app, broker) => {
  app.handle(updateExecutionRoute, async ({ actor, params, body }) => {
    const { status, status_description: description } = body;
    const said = { status, description };
    const { execution } = await recordReport(broker, actor, params, said);
    return toExecution(execution);
  });
};

/** POST /v1/runner-jobs/{job_id}/executions/{execution_id}/give-back */
export const giveBackExecution: RegisterRoutes = (app, broker) => {
  app.handle(giveBackExecutionRoute, async ({ actor, params }) => {
    const said = { giveBack: true };
    const recorded = await recordReport(broker, actor, params, said);
    return toFinished(recorded);
  });
};

/** POST /v1/runner-jobs/{job_id}/executions/{execution_id}/progress */
export const reportProgress: RegisterRoutes = (app, { db }) => {
  app.handle(
    reportProgressRoute,
    async ({ actor, params, body: { steps } }) => await recordProgress(db, actor, params, steps),
  );
};

/** PATCH /v1/runner-jobs/{job_id} */
export const setJobStatus: RegisterRoutes = (app, broker) => {
  app.handle(setJobStatusRoute, async ({ actor, params, body }) => {
    const { status, status_description: description } = body;
    const jobId = params.job_id;
    const job = await moveJob(broker, actor, { jobId, status, description });
    return toRunnerJob(job);
  });
};

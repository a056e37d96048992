import { setJobStatusRoute } from "../../../shared/api/control-runner-jobs.ts";
import { reportProgressRoute } from "../../../shared/api/execution-progress.ts";
import { createExecutionRoute } from "../../../shared/api/poll-jobs.ts";
import {
  finishExecutionRoute,
  giveBackExecutionRoute,
  updateExecutionRoute,
} from "../../../shared/api/report-executions.ts";
import { claimJob } from "../../executions/claim-job.ts";
import { recordProgress } from "../../executions/record-progress.ts";
import {
  type RecordedReport,
  recordReport,
  toResultReport,
} from "../../executions/record-report.ts";
import { toExecution } from "../../executions/to-execution.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { setJobStatus as moveJob } from "../../jobs/set-job-status.ts";
import { toRunnerJob } from "../../jobs/to-runner-job.ts";

/** POST /v1/runner-jobs/{job_id}/executions: this is how a third-party runner claims. */
export const createExecution: RegisterRoutes = (app, broker) => {
  app.openapi(createExecutionRoute, async (c) => {
    const execution = await claimJob(broker, c.get("actor"), c.req.valid("param").job_id);
    return c.json(toExecution(execution), 201);
  });
};

/** PATCH /v1/runner-jobs/{job_id}/executions/{execution_id} */
export const updateExecution: RegisterRoutes = (app, broker) => {
  app.openapi(updateExecutionRoute, async (c) => {
    const { status, status_description: description } = c.req.valid("json");
    const said = { status, description };
    const { execution } = await recordReport(broker, c.get("actor"), c.req.valid("param"), said);
    return c.json(toExecution(execution), 200);
  });
};

/** POST /v1/runner-jobs/{job_id}/executions/{execution_id}/finish */
export const finishExecution: RegisterRoutes = (app, broker) => {
  app.openapi(finishExecutionRoute, async (c) => {
    const body = c.req.valid("json");
    const longTexts = c.get("longTexts");
    const recorded = await recordReport(broker, c.get("actor"), c.req.valid("param"), {
      status: body.status,
      description: body.status_description,
      result: body.result && toResultReport(body.result, longTexts.get("#/result")),
      outputs: longTexts.get("#/outputs") ?? body.outputs ?? undefined,
      lastRecord: body.last_record ?? undefined,
    });
    return c.json(toFinished(recorded), 200);
  });
};

/** POST /v1/runner-jobs/{job_id}/executions/{execution_id}/give-back */
export const giveBackExecution: RegisterRoutes = (app, broker) => {
  app.openapi(giveBackExecutionRoute, async (c) => {
    const said = { giveBack: true };
    const recorded = await recordReport(broker, c.get("actor"), c.req.valid("param"), said);
    return c.json(toFinished(recorded), 200);
  });
};

function toFinished({ execution, jobStatus }: RecordedReport) {
  return { execution: toExecution(execution), job_status: jobStatus };
}

/** POST /v1/runner-jobs/{job_id}/executions/{execution_id}/progress */
export const reportProgress: RegisterRoutes = (app, { db }) => {
  app.openapi(reportProgressRoute, async (c) => {
    const { steps } = c.req.valid("json");
    return c.json(await recordProgress(db, c.get("actor"), c.req.valid("param"), steps), 200);
  });
};

/** PATCH /v1/runner-jobs/{job_id} */
export const setJobStatus: RegisterRoutes = (app, broker) => {
  app.openapi(setJobStatusRoute, async (c) => {
    const { status, status_description: description } = c.req.valid("json");
    const jobId = c.req.valid("param").job_id;
    const job = await moveJob(broker, c.get("actor"), { jobId, status, description });
    return c.json(toRunnerJob(job), 200);
  });
};

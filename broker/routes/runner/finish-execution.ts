import {
  finishExecutionRoute,
  giveBackExecutionRoute,
} from "../../../shared/api/report-executions.ts";
import { type TakenReport, takeReport, toResultReport } from "../../executions/take-report.ts";
import { toExecution } from "../../executions/to-execution.ts";
import type { Door } from "../../http/app-types.ts";

/** POST /v1/runner-jobs/{job_id}/executions/{execution_id}/finish */
export const finishExecution: Door = (app, broker) => {
  app.openapi(finishExecutionRoute, async (c) => {
    const body = c.req.valid("json");
    const longTexts = c.get("longTexts");
    const taken = await takeReport(broker, c.get("actor"), c.req.valid("param"), {
      status: body.status,
      description: body.status_description,
      result: body.result && toResultReport(body.result, longTexts.get("#/result")),
      outputs: longTexts.get("#/outputs") ?? body.outputs ?? undefined,
      lastRecord: body.last_record ?? undefined,
    });
    return c.json(toFinished(taken), 200);
  });
};

/** POST /v1/runner-jobs/{job_id}/executions/{execution_id}/give-back */
export const giveBackExecution: Door = (app, broker) => {
  app.openapi(giveBackExecutionRoute, async (c) => {
    const said = { giveBack: true };
    const taken = await takeReport(broker, c.get("actor"), c.req.valid("param"), said);
    return c.json(toFinished(taken), 200);
  });
};

function toFinished({ execution, jobStatus }: TakenReport) {
  return { execution: toExecution(execution), job_status: jobStatus };
}

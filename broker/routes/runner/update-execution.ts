import { updateExecutionRoute } from "../../../shared/api/report-executions.ts";
import { takeReport } from "../../executions/take-report.ts";
import { toExecution } from "../../executions/to-execution.ts";
import type { Door } from "../../http/app-types.ts";

/** PATCH /v1/runner-jobs/{job_id}/executions/{execution_id} */
export const updateExecution: Door = (app, broker) => {
  app.openapi(updateExecutionRoute, async (c) => {
    const { status, status_description: description } = c.req.valid("json");
    const said = { status, description };
    const { execution } = await takeReport(broker, c.get("actor"), c.req.valid("param"), said);
    return c.json(toExecution(execution), 200);
  });
};

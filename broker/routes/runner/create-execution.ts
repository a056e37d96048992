import { createExecutionRoute } from "../../../shared/api/poll-jobs.ts";
import { claimJob } from "../../executions/claim-job.ts";
import { toExecution } from "../../executions/to-execution.ts";
import type { Door } from "../../http/app-types.ts";

/** POST /v1/runner-jobs/{job_id}/executions: this is how a third-party runner claims. */
export const createExecution: Door = (app, broker) => {
  app.openapi(createExecutionRoute, async (c) => {
    const execution = await claimJob(broker, c.get("actor"), c.req.valid("param").job_id);
    return c.json(toExecution(execution), 201);
  });
};

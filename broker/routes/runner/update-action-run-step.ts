import { updateActionRunStepRoute } from "../../../shared/api/action-runs.ts";
import { processSecretHeader } from "../../../shared/api/runner-process.ts";
import { reportRunStep } from "../../action-runs/read-action-run.ts";
import type { Door } from "../../http/app-types.ts";
import { requestHeader } from "../../http/gate/request-header.ts";

/** PUT /v1/installs/{install_id}/action-workflow-runs/{run_id}/steps/{step_id} */
export const updateActionRunStep: Door = (app, broker) => {
  app.openapi(updateActionRunStepRoute, async (c) => {
    const { install_id: installId, run_id: runId, step_id: stepId } = c.req.valid("param");
    const { status, execution_duration: executionDuration } = c.req.valid("json");
    const said = { installId, runId, stepId, status, executionDuration };
    const processSecret = requestHeader(c, processSecretHeader);
    const reader = { ...c.get("actor"), processSecret };
    return c.json(await reportRunStep(broker, reader, said), 200);
  });
};

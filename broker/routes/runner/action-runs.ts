import {
  getActionConfigRoute,
  getActionRunRoute,
  getAppConfigRoute,
  getSandboxConfigRoute,
  updateActionRunStepRoute,
} from "../../../shared/api/action-runs.ts";
import { processSecretHeader } from "../../../shared/api/runner-process.ts";
import { problem } from "../../../shared/problem.ts";
import {
  readActionConfig,
  readActionRun,
  reportRunStep,
} from "../../action-runs/read-action-run.ts";
import { readAppConfig } from "../../action-runs/read-app-config.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { requestHeader } from "../../http/gate/request-header.ts";

/**
 * GET /v1/installs/{install_id}/action-workflows/runs/{run_id}, GET /v1/action-workflows/configs/{config_id},
 * GET /v1/apps/{app_id}/config/{config_id}, GET /v1/runners/{runner_id}/sandbox-config
 */
export const readActionRuns: RegisterRoutes = (app, broker) => {
  app.openapi(getActionRunRoute, async (c) => {
    const { install_id: installId, run_id: runId } = c.req.valid("param");
    return c.json(await readActionRun(broker, c.get("actor"), { installId, runId }), 200);
  });
  app.openapi(getActionConfigRoute, async (c) => {
    const { config_id } = c.req.valid("param");
    return c.json(await readActionConfig(broker, c.get("actor"), config_id), 200);
  });
  app.openapi(getAppConfigRoute, async (c) => {
    const { app_id: appId, config_id: configId } = c.req.valid("param");
    return c.json(await readAppConfig(broker, c.get("actor"), { appId, configId }), 200);
  });
  app.openapi(getSandboxConfigRoute, () => {
    throw problem.notFound("sandbox config");
  });
};

/** PUT /v1/installs/{install_id}/action-workflow-runs/{run_id}/steps/{step_id} */
export const updateActionRunStep: RegisterRoutes = (app, broker) => {
  app.openapi(updateActionRunStepRoute, async (c) => {
    const { install_id: installId, run_id: runId, step_id: stepId } = c.req.valid("param");
    const { status, execution_duration: executionDuration } = c.req.valid("json");
    const said = { installId, runId, stepId, status, executionDuration };
    const processSecret = requestHeader(c, processSecretHeader);
    const reader = { ...c.get("actor"), processSecret };
    return c.json(await reportRunStep(broker, reader, said), 200);
  });
};

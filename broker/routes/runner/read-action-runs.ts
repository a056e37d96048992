import {
  getActionConfigRoute,
  getActionRunRoute,
  getAppConfigRoute,
  getSandboxConfigRoute,
} from "../../../shared/api/action-runs.ts";
import { problem } from "../../../shared/problem.ts";
import { readActionConfig, readActionRun } from "../../action-runs/read-action-run.ts";
import { readAppConfig } from "../../action-runs/read-app-config.ts";
import type { Door } from "../../http/app-types.ts";

/**
 * GET /v1/installs/{install_id}/action-workflows/runs/{run_id}, GET /v1/action-workflows/configs/{config_id},
 * GET /v1/apps/{app_id}/config/{config_id}, GET /v1/runners/{runner_id}/sandbox-config
 */
export const readActionRuns: Door = (app, broker) => {
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

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
import { showRun } from "../../actions/show-actions.ts";
import { showActionConfigById } from "../../actions/show-app-actions.ts";
import { showConfig } from "../../app-configs/show-configs.ts";
import { answerFinished } from "../../http/answer/answer-finished.ts";
import { answerInTurns } from "../../http/answer/answer-in-turns.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { requestHeader } from "../../http/gate/request-header.ts";

/**
 * GET /v1/installs/{install_id}/action-workflows/runs/{run_id}, GET /v1/action-workflows/configs/{config_id},
 * GET /v1/apps/{app_id}/config/{config_id}, GET /v1/runners/{runner_id}/sandbox-config
 */
export const readActionRuns: RegisterRoutes = (app, broker) => {
  app.openapi(getActionRunRoute, async (c) => {
    const actor = c.get("actor");
    const { install_id: installId, run_id: runId } = c.req.valid("param");
    if (actor.runnerId === null)
      return answerFinished(
        c,
        broker,
        await showRun(broker, actor.orgId, { installId, id: runId }),
      );
    return c.json(await readActionRun(broker, actor, { installId, runId }), 200);
  });
  app.openapi(getActionConfigRoute, async (c) => {
    const actor = c.get("actor");
    const { config_id: id } = c.req.valid("param");
    if (actor.runnerId === null)
      return answerInTurns(c, broker, await showActionConfigById(broker.db, actor.orgId, id));
    return c.json(await readActionConfig(broker, actor, id), 200);
  });
  app.openapi(getAppConfigRoute, async (c) => {
    const { app_id: appId, config_id: configId } = c.req.valid("param");
    const actor = c.get("actor");
    if (actor.runnerId === null) {
      const which = { app: appId, id: configId };
      return answerFinished(c, broker, await showConfig(broker.db, actor.orgId, which, false));
    }
    return c.json(await readAppConfig(broker, actor, { appId, configId }), 200);
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

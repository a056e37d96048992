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
import { showTypedParts } from "../../app-configs/show-typed-parts.ts";
import { answerFinished } from "../../http/answer/answer-finished.ts";
import { answerInTurns } from "../../http/answer/answer-in-turns.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { requestHeader } from "../../http/gate/request-header.ts";

/**
 * GET /v1/installs/{install_id}/action-workflows/runs/{run_id}, GET /v1/action-workflows/configs/{config_id},
 * GET /v1/apps/{app_id}/config/{config_id}, GET /v1/runners/{runner_id}/sandbox-config
 */
export const readActionRuns: RegisterRoutes = (app, broker) => {
  app.handle(getActionRunRoute, async ({ c, actor, params }) => {
    const { install_id: installId, run_id: runId } = params;
    if (actor.runnerId === null)
      return answerFinished(
        c,
        broker,
        await showRun(broker, actor.orgId, { installId, id: runId }),
      );
    return await readActionRun(broker, actor, { installId, runId });
  });
  app.handle(getActionConfigRoute, async ({ c, actor, params: { config_id: id } }) => {
    if (actor.runnerId === null)
      return answerInTurns(c, broker, await showActionConfigById(broker.db, actor.orgId, id));
    return await readActionConfig(broker, actor, id);
  });
  app.handle(getAppConfigRoute, async ({ c, actor, params, query }) => {
    const { app_id: appId, config_id: configId } = params;
    if (actor.runnerId === null) {
      const which = { app: appId, id: configId };
      const parts = query.recurse === "true" ? showTypedParts : undefined;
      return answerFinished(c, broker, await showConfig(broker.db, actor.orgId, which, parts));
    }
    return await readAppConfig(broker, actor, { appId, configId });
  });
  app.handle(getSandboxConfigRoute, () => {
    throw problem.notFound("sandbox config");
  });
};

/** PUT /v1/installs/{install_id}/action-workflow-runs/{run_id}/steps/{step_id} */
export const updateActionRunStep: RegisterRoutes = (app, broker) => {
  app.handle(updateActionRunStepRoute, async ({ c, actor, params, body }) => {
    const { install_id: installId, run_id: runId, step_id: stepId } = params;
    const { status, execution_duration: executionDuration } = body;
    const said = { installId, runId, stepId, status, executionDuration };
    const processSecret = requestHeader(c, processSecretHeader);
    const reader = { ...actor, processSecret };
    return await reportRunStep(broker, reader, said);
  });
};

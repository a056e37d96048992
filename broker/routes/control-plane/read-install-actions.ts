import type { ShownAction } from "../../../shared/api/actions.ts";
import {
  getActionOutputsRoute,
  getActionRunStepRoute,
  getInstallActionRoute,
  listLatestRunsRoute,
  listRecentRunsRoute,
} from "../../../shared/api/install-actions.ts";
import { problem } from "../../../shared/problem.ts";
import { listLatestRuns, type RunRow } from "../../actions/action-queries.ts";
import { actionRunRows } from "../../actions/action-run-rows.ts";
import { listActions } from "../../actions/app-action-queries.ts";
import { showActionOutputs, showRunSteps } from "../../actions/show-actions.ts";
import { showInstallAction } from "../../actions/show-app-actions.ts";
import type { ListRequest } from "../../database/page-request.ts";
import { answerFinished } from "../../http/answer/answer-finished.ts";
import { answerInTurns } from "../../http/answer/answer-in-turns.ts";
import { answerList } from "../../http/answer/answer-list.ts";
import { answerPart } from "../../http/answer/answer-part.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { requireInstall } from "../../installs/keep-installs.ts";
import { readLabelQuery } from "../../labels/label-query.ts";

const everyAction = { after: undefined, limit: 1000, offset: 0 };
const toRun = (row: RunRow) => actionRunRows.toItem(row);

const briefOf = ({ id, created_at }: ShownAction, installId: string) => ({
  id,
  install_id: installId,
  action_workflow_id: id,
  created_at,
});

/** GET /v1/installs/{install_id}/actions/latest-runs, …/{action_id} and below it, …/runs/{run_id}/steps/{step_id} */
export const readInstallActions: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(listLatestRunsRoute, async ({ c, orgId, params, query }) => {
    const { install_id: installId } = params;
    const { app_id: appId } = await requireInstall(db, orgId, installId);
    const { q, labels, synced, trigger_types: types } = query;
    const filter = { q, labels: readLabelQuery(labels) };
    const named = await listActions(db, orgId, { ...everyAction, appId, filter });
    const wanted = new Map(named.map((action) => [action.id, action]));
    const runs = (await listLatestRuns(db, orgId, { installId })).filter((run) => {
      const action = wanted.get(run.action_id ?? "");
      if (action === undefined && (q ?? labels) !== undefined) return false;
      if (types?.includes(run.trigger_type) === false) return false;
      return synced === undefined || (synced === "true") === (action?.config_id != null);
    });
    return answerPart(c, query, runs.map(toRun));
  });
  app.handle(getInstallActionRoute, async ({ c, orgId, params }) => {
    const { install_id: installId, action_id: id } = params;
    const action = await showInstallAction(db, orgId, { installId, id });
    const [latest] = await listLatestRuns(db, orgId, { installId, actionId: id });
    const whole = { ...briefOf(action, installId), action, action_workflow: action };
    return answerInTurns(c, broker, { ...whole, ...(latest && { latest_run: toRun(latest) }) });
  });
  app.handle(listRecentRunsRoute, async ({ c, orgId, params, query }) => {
    const { install_id: installId, action_id: id } = params;
    const action = await showInstallAction(db, orgId, { installId, id });
    const runs = await answerList(c, query, {
      read: (request: ListRequest) =>
        actionRunRows.list(db, orgId, { params, filter: {}, ...request }),
      toItem: toRun,
    });
    return Array.isArray(runs) ? { ...briefOf(action, installId), runs } : runs;
  });
  app.handle(getActionOutputsRoute, async ({ c, orgId, params }) => {
    const { install_id: installId, action_id: id } = params;
    return answerFinished(c, broker, [await showActionOutputs(broker, orgId, { installId, id })]);
  });
  app.handle(getActionRunStepRoute, async ({ orgId, params }) => {
    const { install_id: installId, run_id: id, step_id: stepId } = params;
    const steps = await showRunSteps(db, orgId, { installId, id });
    const step = steps.find((one) => one.id === stepId);
    if (step === undefined) throw problem.notFound("action run step");
    return step;
  });
};

import {
  createActionRunRoute,
  createAdhocRunRoute,
  getInstallActionRunRoute,
  listInstallActionsRoute,
} from "../../../shared/api/actions.ts";
import * as routes from "../../../shared/api/app-actions.ts";
import { problem } from "../../../shared/problem.ts";
import { actionRunRows } from "../../actions/action-run-rows.ts";
import { listActionConfigs, listActions } from "../../actions/app-action-queries.ts";
import { isBegunBy } from "../../actions/is-begun-by.ts";
import { runAction, runAdhoc } from "../../actions/run-action.ts";
import { showRun } from "../../actions/show-actions.ts";
import {
  prepareActions,
  showAction,
  showActionConfig,
  showActionConfigById,
  showInstallActions,
  toActionConfig,
} from "../../actions/show-app-actions.ts";
import { requireApp } from "../../apps/keep-apps.ts";
import type { ListRequest } from "../../database/page-request.ts";
import { answerFinished } from "../../http/answer/answer-finished.ts";
import { answerInTurns } from "../../http/answer/answer-in-turns.ts";
import { answerList, splitQuery } from "../../http/answer/answer-list.ts";
import { answerPart } from "../../http/answer/answer-part.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { openResource } from "../../http/resources/open-resource.ts";
import { readLabelQuery } from "../../labels/label-query.ts";
import { deleteNamedPart, updateNamedPart } from "../../named-parts/change-named-part.ts";

/** /v1/apps/{app_id}/actions, /v1/installs/{install_id}/actions and all below them */
export const keepActions: RegisterRoutes = (app, broker) => {
  readActions(app, broker);
  change(app, broker);
  readConfigs(app, broker);
  begin(app, broker);
  readRuns(app, broker);
};

const readActions: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(routes.listActionsRoute, async ({ c, orgId, params: { app_id: appId }, query }) => {
    await requireApp(db, orgId, appId);
    const [page, { labels, trigger_types: triggers, ...asked }] = splitQuery(query);
    const all = await listActions(db, orgId, { appId, after: undefined, limit: 1000, offset: 0 });
    const show = await prepareActions(db, orgId, all);
    const names =
      triggers &&
      all
        .map(show)
        .filter(isBegunBy(triggers))
        .map(({ name }) => name);
    const filter = { ...asked, names, labels: readLabelQuery(labels) };
    const listed = await answerList(c, page, {
      filters: { ...asked, labels, triggers },
      read: (request: ListRequest) => listActions(db, orgId, { appId, filter, ...request }),
      toItem: show,
    });
    return answerInTurns(c, broker, listed);
  });
  app.handle(routes.getActionRoute, async ({ c, orgId, params }) => {
    const { app_id: appId, action_id: id } = params;
    return answerInTurns(c, broker, await showAction(db, orgId, { appId, id }));
  });
  app.handle(listInstallActionsRoute, async ({ c, orgId, params: { install_id: id }, query }) => {
    const isSynced = query.synced && query.synced === "true";
    const actions = await showInstallActions(db, orgId, id, isSynced);
    return answerInTurns(c, broker, answerPart(c, query, actions));
  });
};

const actionOf = (app: string, id: string) => ({ kind: "actions", app, id }) as const;

const change: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(routes.updateActionRoute, async ({ c, orgId, params, body }) => {
    const { app_id: appId, action_id: id } = params;
    const { name, labels } = body;
    const isWhole = labels !== undefined;
    await updateNamedPart(db, orgId, actionOf(appId, id), { name, labels, isWhole });
    const shown = await showAction(db, orgId, { appId, id });
    return answerInTurns(c, broker, shown, { status: 201 });
  });
  app.handle(routes.deleteActionRoute, async ({ c, orgId, params }) => {
    const { app_id: appId, action_id: id } = params;
    const shown = await showAction(db, orgId, { appId, id });
    await deleteNamedPart(db, orgId, actionOf(appId, id));
    return answerInTurns(c, broker, shown);
  });
  app.handle(routes.mergeActionLabelsRoute, async ({ c, orgId, params, body }) => {
    const { app_id: appId, action_id: id } = params;
    await updateNamedPart(db, orgId, actionOf(appId, id), { labels: body.labels });
    return answerInTurns(c, broker, await showAction(db, orgId, { appId, id }));
  });
  app.handle(routes.removeActionLabelsRoute, async ({ c, orgId, params, body }) => {
    const { app_id: appId, action_id: id } = params;
    await updateNamedPart(db, orgId, actionOf(appId, id), { removed: body.keys });
    return answerInTurns(c, broker, await showAction(db, orgId, { appId, id }));
  });
};

const readConfigs: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(routes.listActionConfigsRoute, async ({ c, orgId, params, query }) => {
    const { app_id: appId, action_id: actionId } = params;
    await showAction(db, orgId, { appId, id: actionId });
    const [page, created] = splitQuery(query);
    const listed = await answerList(c, page, {
      filters: created,
      read: (request: ListRequest) =>
        listActionConfigs(db, orgId, { actionId, created, ...request }),
      toItem: toActionConfig,
    });
    return listed;
  });
  app.handle(routes.getActionConfigOfAppRoute, async ({ c, orgId, params }) => {
    const { app_id: appId, action_config_id: id } = params;
    return answerInTurns(c, broker, await showActionConfigById(db, orgId, id, appId));
  });
  app.handle(routes.getActionConfigVersionRoute, async ({ c, orgId, params }) => {
    const { app_id: appId, action_id: id, action_config_id: configId } = params;
    const shown = await showActionConfig(db, orgId, { appId, id, configId });
    return answerInTurns(c, broker, shown);
  });
  app.handle(routes.getLatestActionConfigRoute, async ({ c, orgId, params }) => {
    const { app_id: appId, action_id: id } = params;
    const shown = await showActionConfig(db, orgId, { appId, id });
    return answerInTurns(c, broker, shown);
  });
};

const begin: RegisterRoutes = (app, broker) => {
  app.handle(createActionRunRoute, async ({ actor, params: { install_id: installId }, body }) => {
    const { action_workflow_config_id: configId, name, run_env_vars: env, role } = body;
    if ((configId === undefined) === (name === undefined)) {
      const detail = "Give either action_workflow_config_id or name.";
      throw problem.invalid([{ pointer: "#/name", code: "one_of", detail }]);
    }
    const run = { installId, configId, name, env, role };
    return await runAction(broker, actor, run);
  });
  app.handle(createAdhocRunRoute, async ({ actor, params: { install_id: installId }, body }) => {
    const { name, command, inline_contents: contents, env_vars: env, ...rest } = body;
    const { timeout: timeoutNs, role, approval: wantsApproval, enable_kube_config } = rest;
    const wantsCluster = enable_kube_config === true;
    const asked = { role, wantsApproval, wantsCluster };
    const run = { installId, name, command, contents, env, timeoutNs, ...asked };
    const begun = await runAdhoc(broker, actor, run);
    const now = { status: "queued", status_description: "", trigger_type: "adhoc" } as const;
    return { ...begun, install_id: installId, ...now };
  });
};

const readRuns: RegisterRoutes = (app, broker) => {
  openResource(app, broker, actionRunRows);
  app.handle(getInstallActionRunRoute, async ({ c, orgId, params }) => {
    const { install_id: installId, run_id: id } = params;
    return answerFinished(c, broker, await showRun(broker, orgId, { installId, id }));
  });
};

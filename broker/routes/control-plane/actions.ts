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
import { deleteAction, updateAction } from "../../actions/keep-actions.ts";
import { runAction, runAdhoc } from "../../actions/run-action.ts";
import { showRun } from "../../actions/show-actions.ts";
import {
  prepareActions,
  showAction,
  showActionConfig,
  showInstallActions,
  toActionConfig,
} from "../../actions/show-app-actions.ts";
import { requireApp } from "../../apps/keep-apps.ts";
import type { ListRequest } from "../../database/page-request.ts";
import { answerFinished } from "../../http/answer/answer-finished.ts";
import { answerInTurns } from "../../http/answer/answer-in-turns.ts";
import { answerListing } from "../../http/answer/answer-listing.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { openResource } from "../../http/resources/open-resource.ts";
import { readLabelQuery } from "../../labels/label-query.ts";

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
  app.openapi(routes.listActionsRoute, async (c) => {
    const { orgId } = c.get("actor");
    const { app_id: appId } = c.req.valid("param");
    await requireApp(db, orgId, appId);
    const { cursor, limit, offset, labels, ...asked } = c.req.valid("query");
    const page = { cursor, limit, offset };
    const filter = { ...asked, labels: readLabelQuery(labels) };
    const all = await listActions(db, orgId, { appId, after: undefined, limit: 1000, offset: 0 });
    const show = await prepareActions(db, orgId, all);
    const listed = await answerListing(c, page, {
      filters: { ...asked, labels },
      read: (request: ListRequest) => listActions(db, orgId, { appId, filter, ...request }),
      toItem: show,
    });
    return answerInTurns(c, broker, listed);
  });
  app.openapi(routes.getActionRoute, async (c) => {
    const { app_id: appId, action_id: id } = c.req.valid("param");
    return answerInTurns(c, broker, await showAction(db, c.get("actor").orgId, { appId, id }));
  });
  app.openapi(listInstallActionsRoute, async (c) => {
    const { install_id: id } = c.req.valid("param");
    const actions = await showInstallActions(db, c.get("actor").orgId, id);
    return answerInTurns(c, broker, actions);
  });
};

const change: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.openapi(routes.updateActionRoute, async (c) => {
    const { orgId } = c.get("actor");
    const { app_id: appId, action_id: id } = c.req.valid("param");
    const { name, labels } = c.req.valid("json");
    const isWhole = labels !== undefined;
    await updateAction(db, orgId, { appId, id }, { name, labels, isWhole });
    return answerInTurns(c, broker, await showAction(db, orgId, { appId, id }));
  });
  app.openapi(routes.deleteActionRoute, async (c) => {
    const { app_id: appId, action_id: id } = c.req.valid("param");
    await deleteAction(db, c.get("actor").orgId, { appId, id });
    return c.body(null, 204);
  });
  app.openapi(routes.mergeActionLabelsRoute, async (c) => {
    const { orgId } = c.get("actor");
    const { app_id: appId, action_id: id } = c.req.valid("param");
    await updateAction(db, orgId, { appId, id }, { labels: c.req.valid("json").labels });
    return answerInTurns(c, broker, await showAction(db, orgId, { appId, id }));
  });
  app.openapi(routes.removeActionLabelsRoute, async (c) => {
    const { orgId } = c.get("actor");
    const { app_id: appId, action_id: id } = c.req.valid("param");
    await updateAction(db, orgId, { appId, id }, { removed: c.req.valid("json").keys });
    return answerInTurns(c, broker, await showAction(db, orgId, { appId, id }));
  });
};

const readConfigs: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.openapi(routes.listActionConfigsRoute, async (c) => {
    const { orgId } = c.get("actor");
    const { app_id: appId, action_id: actionId } = c.req.valid("param");
    await showAction(db, orgId, { appId, id: actionId });
    const { cursor, limit, offset, ...created } = c.req.valid("query");
    const page = { cursor, limit, offset };
    const listed = await answerListing(c, page, {
      filters: created,
      read: (request: ListRequest) =>
        listActionConfigs(db, orgId, { actionId, created, ...request }),
      toItem: toActionConfig,
    });
    return c.json(listed, 200);
  });
  app.openapi(routes.getActionConfigVersionRoute, async (c) => {
    const { app_id: appId, action_id: id, action_config_id: configId } = c.req.valid("param");
    const shown = await showActionConfig(db, c.get("actor").orgId, { appId, id, configId });
    return answerInTurns(c, broker, shown);
  });
  app.openapi(routes.getLatestActionConfigRoute, async (c) => {
    const { app_id: appId, action_id: id } = c.req.valid("param");
    const shown = await showActionConfig(db, c.get("actor").orgId, { appId, id });
    return answerInTurns(c, broker, shown);
  });
};

const begin: RegisterRoutes = (app, broker) => {
  app.openapi(createActionRunRoute, async (c) => {
    const { install_id: installId } = c.req.valid("param");
    const body = c.req.valid("json");
    const { action_workflow_config_id: configId, name, run_env_vars: env, role } = body;
    if ((configId === undefined) === (name === undefined)) {
      const detail = "Give either action_workflow_config_id or name.";
      throw problem.invalid([{ pointer: "#/name", code: "one_of", detail }]);
    }
    const run = { installId, configId, name, env, role };
    return c.json(await runAction(broker, c.get("actor"), run), 201);
  });
  app.openapi(createAdhocRunRoute, async (c) => {
    const { install_id: installId } = c.req.valid("param");
    const {
      name,
      command,
      inline_contents: contents,
      env_vars: env,
      ...rest
    } = c.req.valid("json");
    const { timeout: timeoutNs, role, approval: wantsApproval } = rest;
    const run = { installId, name, command, contents, env, timeoutNs, role, wantsApproval };
    return c.json(await runAdhoc(broker, c.get("actor"), run), 201);
  });
};

const readRuns: RegisterRoutes = (app, broker) => {
  openResource(app, broker, actionRunRows);
  app.openapi(getInstallActionRunRoute, async (c) => {
    const { orgId } = c.get("actor");
    const { install_id: installId, run_id: id } = c.req.valid("param");
    return answerFinished(c, broker, await showRun(broker, orgId, { installId, id }));
  });
};

import { diffAppConfigsRoute } from "../../../shared/api/app-config-diff.ts";
import {
  getAppConfigGraphRoute,
  getAppConfigVersionRoute,
  getLatestAppConfigRoute,
  listAppConfigsRoute,
  syncAppConfigRoute,
} from "../../../shared/api/app-configs.ts";
import { createAppRoute, deleteAppRoute, updateAppRoute } from "../../../shared/api/apps.ts";
import {
  getConfigSchemaOfTypeRoute,
  getConfigSchemaRoute,
  getTemplateConfigRoute,
} from "../../../shared/api/config-shapes.ts";
import { configSchemaOf } from "../../../shared/app-config/config-schemas.ts";
import type { JsonSchema } from "../../../shared/app-config/json-schema.ts";
import { templateFile } from "../../../shared/app-config/template-file.ts";
import { problem } from "../../../shared/problem.ts";
import { changesBetween } from "../../app-configs/changes-between.ts";
import { graphOfConfig } from "../../app-configs/graph-of-config.ts";
import { listConfigs } from "../../app-configs/queries.ts";
import { showConfig, toConfig } from "../../app-configs/show-configs.ts";
import { showTypedParts } from "../../app-configs/show-typed-parts.ts";
import { previewAppConfig, syncAppConfig } from "../../app-configs/sync-app-config.ts";
import { appRows } from "../../apps/app-rows.ts";
import { requireApp, createApp, deleteApp, updateApp } from "../../apps/keep-apps.ts";
import type { ListRequest } from "../../database/page-request.ts";
import { answerFinished } from "../../http/answer/answer-finished.ts";
import { answerList, splitQuery } from "../../http/answer/answer-list.ts";
import { setHeader } from "../../http/answer/set-header.ts";
import { tellThere } from "../../http/answer/tell-there.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { askingOf } from "../../http/gate/asking-of.ts";
import { namesProblem } from "../../http/gate/names-problem.ts";
import { openResource, showItem } from "../../http/resources/open-resource.ts";

/** /v1/apps and /v1/apps/{app_id}, /v1/apps/{app_id}/configs and all below it, …/latest-config, …/template-config, /v1/general/config-schema */
export const keepApps: RegisterRoutes = (app, broker) => {
  openResource(app, broker, appRows);
  write(app, broker);
  sync(app, broker);
  readConfigs(app, broker);
  readShapes(app, broker);
  compare(app, broker);
};

const write: RegisterRoutes = (app, { db }) => {
  app.handle(createAppRoute, async ({ c, actor, body }) => {
    const { id } = tellThere(c, await createApp(db, actor, body));
    return appRows.toItem(await requireApp(db, actor.orgId, id));
  });
  app.handle(
    updateAppRoute,
    async ({ c, orgId, params: { app_id: id }, body, requiredVersion }) => {
      await updateApp(db, orgId, { id, version: requiredVersion(), changes: body });
      return await showItem(c, db, appRows, { app_id: id });
    },
  );
  app.handle(deleteAppRoute, async ({ orgId, params }) => {
    const row = await requireApp(db, orgId, params.app_id);
    await deleteApp(db, orgId, row.id);
    return appRows.toItem(row);
  });
};

const sync: RegisterRoutes = (app, broker) => {
  app.handle(syncAppConfigRoute, async ({ c, params: { app_id: id }, query }) => {
    const { dry_run, base_config_id: base, cli_version: cliVersion = "" } = query;
    const source = c.get("rawBody");
    if (source === undefined) throw new Error("the gate has read the body otherwise");
    const asking = askingOf(c, broker);
    if (dry_run === "true") {
      const { json } = await previewAppConfig(broker, asking, { app: id, source, base });
      return answerFinished(c, broker, json);
    }
    const syncing = { app: id, source, base, cliVersion };
    const { json, isNew } = tellThere(c, await syncAppConfig(broker, asking, syncing));
    return answerFinished(c, broker, json, { status: isNew ? 201 : 200 });
  });
};

const readConfigs: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(listAppConfigsRoute, async ({ c, orgId, params: { app_id: id }, query }) => {
    await requireApp(db, orgId, id);
    const [page, filter] = splitQuery(query);
    const listed = await answerList(c, page, {
      filters: filter,
      read: (request: ListRequest) => listConfigs(db, orgId, id, { filter, ...request }),
      toItem: toConfig,
    });
    return listed;
  });
  app.handle(getAppConfigVersionRoute, async ({ c, orgId, params, query }) => {
    const { app_id, app_config_id: id } = params;
    const parts = query.recurse === "true" ? showTypedParts : undefined;
    const which = { app: app_id, id };
    return answerFinished(c, broker, await showConfig(db, orgId, which, parts));
  });
  app.handle(getLatestAppConfigRoute, async ({ c, orgId, params: { app_id }, query }) => {
    await requireApp(db, orgId, app_id);
    const parts = query.recurse === "true" ? showTypedParts : undefined;
    const which = { app: app_id, id: undefined };
    return answerFinished(c, broker, await showConfig(db, orgId, which, parts));
  });
};

/** What is to begin a config with: nothing of it is an app's. */
const readShapes: RegisterRoutes = (app, { db }) => {
  app.handle(getConfigSchemaRoute, ({ query }) => requireSchema(query.type));
  app.handle(getConfigSchemaOfTypeRoute, ({ params }) => requireSchema(params.type));
  app.handle(getTemplateConfigRoute, async ({ orgId, params, query: { type } }) => {
    const { name } = await requireApp(db, orgId, params.app_id);
    return { type, ...templateFile(type, name), format: "v2" as const };
  });
};

function requireSchema(type: string): JsonSchema {
  const schema = configSchemaOf(type);
  if (schema === undefined) throw problem.notFound("config schema");
  return schema;
}

const compare: RegisterRoutes = (app, broker) => {
  app.handle(diffAppConfigsRoute, async ({ c, params, query: { old_config_id: old } }) => {
    const { app_id, app_config_id: id } = params;
    const which = { app: app_id, id, oldId: old };
    const found = await changesBetween(broker, askingOf(c, broker), which);
    const { added, changed, removed } = found.summary;
    const told = {
      config_id: id,
      old_config_id: found.oldId,
      summary: { ...found.summary, has_changed: added + changed + removed > 0 },
    };
    const head = JSON.stringify(told).slice(0, -1);
    return answerFinished(c, broker, [head, ',"changes":', found.changes, "}"]);
  });
  app.handle(getAppConfigGraphRoute, async ({ c, params }) => {
    const { app_id, app_config_id: id } = params;
    const which = { app: app_id, id };
    setHeader(c, "vary", "accept");
    const shape = { which, isText: !namesProblem(c) };
    return answerFinished(c, broker, [await graphOfConfig(broker, askingOf(c, broker), shape)]);
  });
};

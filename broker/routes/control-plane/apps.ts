import type { JSONValue } from "hono/utils/types";
import {
  diffAppConfigsRoute,
  getAppConfigGraphRoute,
  getAppConfigVersionRoute,
  getConfigSchemaRoute,
  getLatestAppConfigRoute,
  listAppConfigsRoute,
  syncAppConfigRoute,
} from "../../../shared/api/app-configs.ts";
import { createAppRoute, deleteAppRoute, updateAppRoute } from "../../../shared/api/apps.ts";
import { configSchemaOf } from "../../../shared/app-config/config-schemas.ts";
import { problem } from "../../../shared/problem.ts";
import { changesBetween } from "../../app-configs/changes-between.ts";
import { graphOfConfig } from "../../app-configs/graph-of-config.ts";
import { listConfigs } from "../../app-configs/queries.ts";
import { showConfig, toConfig } from "../../app-configs/show-configs.ts";
import { previewAppConfig, syncAppConfig } from "../../app-configs/sync-app-config.ts";
import { appRows } from "../../apps/app-rows.ts";
import { requireApp, createApp, deleteApp, updateApp } from "../../apps/keep-apps.ts";
import type { ListRequest } from "../../database/page-request.ts";
import { answerFinished } from "../../http/answer/answer-finished.ts";
import { answerListing } from "../../http/answer/answer-listing.ts";
import { requiredVersion } from "../../http/answer/etag.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { askingOf } from "../../http/gate/asking-of.ts";
import { openResource, showItem } from "../../http/resources/open-resource.ts";

/** /v1/apps and /v1/apps/{app_id}, /v1/apps/{app_id}/configs and all below it, …/latest-config, /v1/general/config-schema */
export const keepApps: RegisterRoutes = (app, broker) => {
  openResource(app, broker, appRows);
  write(app, broker);
  sync(app, broker);
  readConfigs(app, broker);
  compare(app, broker);
};

const write: RegisterRoutes = (app, { db }) => {
  app.openapi(createAppRoute, async (c) => {
    const actor = c.get("actor");
    const { id, isNew } = await createApp(db, actor, c.req.valid("json"));
    return c.json(appRows.toItem(await requireApp(db, actor.orgId, id)), isNew ? 201 : 200);
  });
  app.openapi(updateAppRoute, async (c) => {
    const { orgId } = c.get("actor");
    const { app_id: id } = c.req.valid("param");
    await updateApp(db, orgId, { id, version: requiredVersion(c), changes: c.req.valid("json") });
    return c.json(await showItem(c, db, appRows, { app_id: id }), 200);
  });
  app.openapi(deleteAppRoute, async (c) => {
    await deleteApp(db, c.get("actor").orgId, c.req.valid("param").app_id);
    return c.body(null, 204);
  });
};

const sync: RegisterRoutes = (app, broker) => {
  app.openapi(syncAppConfigRoute, async (c) => {
    const { app_id: id } = c.req.valid("param");
    const { dry_run, base_config_id: base, cli_version: cliVersion = "" } = c.req.valid("query");
    const source = c.get("rawBody");
    if (source === undefined) throw new Error("the gate has read the body otherwise");
    const asking = askingOf(c, broker);
    const { json, isNew } = await (dry_run === "true"
      ? previewAppConfig(broker, asking, { app: id, source, base })
      : syncAppConfig(broker, asking, { app: id, source, base, cliVersion }));
    return answerFinished(c, broker, json, { status: isNew ? 201 : 200 });
  });
};

const readConfigs: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.openapi(listAppConfigsRoute, async (c) => {
    const { orgId } = c.get("actor");
    const { app_id: id } = c.req.valid("param");
    await requireApp(db, orgId, id);
    const { cursor, limit, offset, ...filter } = c.req.valid("query");
    const page = { cursor, limit, offset };
    const listed = await answerListing(c, page, {
      filters: filter,
      read: (request: ListRequest) => listConfigs(db, orgId, id, { filter, ...request }),
      toItem: toConfig,
    });
    return c.json(listed, 200);
  });
  app.openapi(getAppConfigVersionRoute, async (c) => {
    const { app_id, app_config_id: id } = c.req.valid("param");
    const isWhole = c.req.valid("query").recurse === "true";
    const which = { app: app_id, id };
    return answerFinished(c, broker, await showConfig(db, c.get("actor").orgId, which, isWhole));
  });
  app.openapi(getLatestAppConfigRoute, async (c) => {
    const { orgId } = c.get("actor");
    const { app_id } = c.req.valid("param");
    await requireApp(db, orgId, app_id);
    const isWhole = c.req.valid("query").recurse === "true";
    const which = { app: app_id, id: undefined };
    return answerFinished(c, broker, await showConfig(db, orgId, which, isWhole));
  });
  app.openapi(getConfigSchemaRoute, (c) => {
    const schema = configSchemaOf(c.req.valid("query").type);
    if (schema === undefined) throw problem.notFound("config schema");
    return c.json(schema as Record<string, JSONValue>, 200); // JSON, as it was made
  });
};

const compare: RegisterRoutes = (app, broker) => {
  app.openapi(diffAppConfigsRoute, async (c) => {
    const { app_id, app_config_id: id } = c.req.valid("param");
    const { old_config_id: old } = c.req.valid("query");
    const which = { app: app_id, id, oldId: old };
    const changes = await changesBetween(broker, askingOf(c, broker), which);
    return answerFinished(c, broker, ['{"changes":', changes, "}"]);
  });
  app.openapi(getAppConfigGraphRoute, async (c) => {
    const { app_id, app_config_id: id } = c.req.valid("param");
    const which = { app: app_id, id };
    return answerFinished(c, broker, [await graphOfConfig(broker, askingOf(c, broker), which)]);
  });
};

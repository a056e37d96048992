import * as routes from "../../../shared/api/components.ts";
import { requireApp } from "../../apps/keep-apps.ts";
import type { ListRequest } from "../../database/page-request.ts";
import { answerInTurns } from "../../http/answer/answer-in-turns.ts";
import { answerList, splitQuery } from "../../http/answer/answer-list.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { askingOf } from "../../http/gate/asking-of.ts";
import { readLabelQuery } from "../../labels/label-query.ts";
import { deleteNamedPart, updateNamedPart } from "../../named-parts/change-named-part.ts";
import { listPartConfigs } from "../../named-parts/list-part-configs.ts";
import { listNamedParts } from "../../named-parts/named-part-queries.ts";
import { relatedComponents } from "../../named-parts/related-components.ts";
import { saidOf } from "../../named-parts/said-of-part.ts";
import { requireNamed, showComponent, showComponents } from "../../named-parts/show-named-parts.ts";
import { showComponentConfig, showComponentConfigs } from "../../named-parts/show-part-configs.ts";

/** /v1/apps/{app_id}/components and all below it but what is added there, GET /v1/components */
export const keepComponents: RegisterRoutes = (app, broker) => {
  list(app, broker);
  read(app, broker);
  change(app, broker);
  label(app, broker);
  readConfigs(app, broker);
};

const kind = "components";

const list: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(routes.listComponentsRoute, async ({ c, orgId, params: { app_id: appId }, query }) => {
    await requireApp(db, orgId, appId);
    const [page, filters] = splitQuery(query);
    const filter = { ...filters, labels: readLabelQuery(filters.labels) };
    const listed = await answerList(c, page, {
      filters,
      read: (request: ListRequest) =>
        listNamedParts(db, orgId, { kind, app: appId, filter, ...request }),
      toItems: (rows) => showComponents(db, orgId, rows),
    });
    return answerInTurns(c, broker, listed);
  });
  app.handle(routes.listOrgComponentsRoute, async ({ c, actor: { orgId, bound }, query }) => {
    const [page, filters] = splitQuery(query);
    const filter = { ...filters, labels: readLabelQuery(filters.labels) };
    const listed = await answerList(c, page, {
      filters,
      read: (request: ListRequest) =>
        listNamedParts(db, orgId, { kind, bound, filter, ...request }),
      toItems: (rows) => showComponents(db, orgId, rows),
    });
    return answerInTurns(c, broker, listed);
  });
};

const read: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(routes.getComponentRoute, async ({ c, orgId, params }) => {
    const which = { app: params.app_id, id: params.component_id };
    return answerInTurns(c, broker, await showComponent(db, orgId, which));
  });
  app.handle(routes.listComponentDependenciesRoute, async ({ c, params }) => {
    const which = { app: params.app_id, id: params.component_id };
    const found = await relatedComponents(broker, askingOf(c, broker), which, "dependencies");
    return answerInTurns(c, broker, found);
  });
  app.handle(routes.listComponentDependentsRoute, async ({ c, params }) => {
    const which = { app: params.app_id, id: params.component_id };
    const children = await relatedComponents(broker, askingOf(c, broker), which, "dependents");
    return answerInTurns(c, broker, { children });
  });
};

const change: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(routes.updateComponentRoute, async ({ c, orgId, params, body }) => {
    const which = { app: params.app_id, id: params.component_id };
    const { name, labels, ...input } = body;
    const says = await saidOf(db, orgId, which.app, input);
    const isWhole = labels !== undefined;
    await updateNamedPart(db, orgId, { kind, ...which }, { name, labels, isWhole, ...says });
    return answerInTurns(c, broker, await showComponent(db, orgId, which));
  });
  app.handle(routes.deleteComponentRoute, async ({ c, orgId, params }) => {
    const which = { app: params.app_id, id: params.component_id };
    const shown = await showComponent(db, orgId, which);
    await deleteNamedPart(db, orgId, { kind, ...which });
    return answerInTurns(c, broker, shown);
  });
};

const label: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(routes.mergeComponentLabelsRoute, async ({ c, orgId, params, body }) => {
    const which = { app: params.app_id, id: params.component_id };
    await updateNamedPart(db, orgId, { kind, ...which }, { labels: body.labels });
    return answerInTurns(c, broker, await showComponent(db, orgId, which));
  });
  app.handle(routes.removeComponentLabelsRoute, async ({ c, orgId, params, body }) => {
    const which = { app: params.app_id, id: params.component_id };
    await updateNamedPart(db, orgId, { kind, ...which }, { removed: body.keys });
    return answerInTurns(c, broker, await showComponent(db, orgId, which));
  });
};

const readConfigs: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(routes.listComponentConfigsRoute, async ({ c, orgId, params, query }) => {
    const { app_id: appId, component_id: part } = params;
    await requireNamed(db, orgId, { kind, app: appId, id: part });
    const [page, created] = splitQuery(query);
    const listed = await answerList(c, page, {
      filters: created,
      read: (request: ListRequest) =>
        listPartConfigs(db, orgId, { kind, part, created, ...request }),
      toItems: (rows) => showComponentConfigs(db, orgId, rows),
    });
    return answerInTurns(c, broker, listed);
  });
  app.handle(routes.getLatestComponentConfigRoute, async ({ c, orgId, params }) => {
    const which = { app: params.app_id, id: params.component_id };
    return answerInTurns(c, broker, await showComponentConfig(db, orgId, which));
  });
  app.handle(routes.getComponentConfigRoute, async ({ c, orgId, params }) => {
    const { app_id: appId, component_id: id, component_config_id: configId } = params;
    const shown = await showComponentConfig(db, orgId, { app: appId, id, configId });
    return answerInTurns(c, broker, shown);
  });
};

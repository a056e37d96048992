import * as routes from "../../../shared/api/runbooks.ts";
import { requireApp } from "../../apps/keep-apps.ts";
import type { ListRequest } from "../../database/page-request.ts";
import { answerInTurns } from "../../http/answer/answer-in-turns.ts";
import { answerList, splitQuery } from "../../http/answer/answer-list.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { deleteNamedPart, updateNamedPart } from "../../named-parts/change-named-part.ts";
import { listPartConfigs } from "../../named-parts/list-part-configs.ts";
import { listNamedParts } from "../../named-parts/named-part-queries.ts";
import { saidOf } from "../../named-parts/said-of-part.ts";
import { requireNamed, showRunbook, showRunbooks } from "../../named-parts/show-named-parts.ts";
import { showRunbookConfigs } from "../../named-parts/show-part-configs.ts";

/** /v1/apps/{app_id}/runbooks and all below it but what is added there */
export const keepRunbooks: RegisterRoutes = (app, broker) => {
  read(app, broker);
  change(app, broker);
};

const kind = "runbooks";

const read: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(routes.listRunbooksRoute, async ({ c, orgId, params: { app_id: appId }, query }) => {
    await requireApp(db, orgId, appId);
    const [page, filter] = splitQuery(query);
    const listed = await answerList(c, page, {
      filters: filter,
      read: (request: ListRequest) =>
        listNamedParts(db, orgId, { kind, app: appId, filter, ...request }),
      toItems: (rows) => showRunbooks(db, orgId, rows),
    });
    return answerInTurns(c, broker, listed);
  });
  app.handle(routes.getRunbookRoute, async ({ c, orgId, params }) => {
    const which = { app: params.app_id, id: params.runbook_id };
    return answerInTurns(c, broker, await showRunbook(db, orgId, which));
  });
  app.handle(routes.listRunbookConfigsRoute, async ({ c, orgId, params, query }) => {
    const { app_id: appId, runbook_id: part } = params;
    await requireNamed(db, orgId, { kind, app: appId, id: part });
    const [page, created] = splitQuery(query);
    const listed = await answerList(c, page, {
      filters: created,
      read: (request: ListRequest) =>
        listPartConfigs(db, orgId, { kind, part, created, ...request }),
      toItems: (rows) => showRunbookConfigs(db, orgId, rows),
    });
    return answerInTurns(c, broker, listed);
  });
};

const change: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(routes.updateRunbookRoute, async ({ c, orgId, params, body }) => {
    const which = { app: params.app_id, id: params.runbook_id };
    const { name, labels, ...input } = body;
    const says = await saidOf(db, orgId, which.app, input);
    const isWhole = labels !== undefined;
    await updateNamedPart(db, orgId, { kind, ...which }, { name, labels, isWhole, ...says });
    return answerInTurns(c, broker, await showRunbook(db, orgId, which));
  });
  app.handle(routes.deleteRunbookRoute, async ({ orgId, params }) => {
    await deleteNamedPart(db, orgId, { kind, app: params.app_id, id: params.runbook_id });
    return true as const;
  });
};

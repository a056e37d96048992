import * as routes from "../../../shared/api/install-components.ts";
import { problem } from "../../../shared/problem.ts";
import type { Db } from "../../database/connect.ts";
import type { ListRequest } from "../../database/page-request.ts";
import { deployRows, sandboxRunRows, type ShownDeployRow } from "../../deploys/deploy-rows.ts";
import {
  prepareInstallComponents,
  requireTarget,
  showComponentOutputs,
  showDriftedObjects,
  showInstallComponent,
} from "../../deploys/show-install-components.ts";
import { answerInTurns } from "../../http/answer/answer-in-turns.ts";
import { answerList, splitQuery } from "../../http/answer/answer-list.ts";
import { answerPart } from "../../http/answer/answer-part.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { openResource } from "../../http/resources/open-resource.ts";
import { requireInstall } from "../../installs/keep-installs.ts";
import { readLabelQuery } from "../../labels/label-query.ts";
import type { OrgId } from "../../orgs/org-id.ts";

/** GET /v1/installs/{install_id}/components and all below it, …/deploys, …/sandbox-runs, …/drifted-objects, /v1/installs/sandbox-runs/{sandbox_run_id} */
export const readDeploys: RegisterRoutes = (app, broker) => {
  readOfInstall(app, broker);
  openResource(app, broker, deployRows);
  openResource(app, broker, sandboxRunRows);
  readComponents(app, broker);
  readOfComponent(app, broker);
};

const readComponents: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(routes.listInstallComponentsRoute, async ({ c, orgId, params, query }) => {
    const { install_id: installId } = params;
    const { q, labels, types, synced } = query;
    const isSynced = synced === undefined ? undefined : synced === "true";
    const filter = { q, labels: readLabelQuery(labels), types, isSynced };
    const { rows, show } = await prepareInstallComponents(db, orgId, { installId, filter });
    return answerInTurns(c, broker, await show(answerPart(c, query, rows)));
  });
  app.handle(routes.getInstallComponentRoute, async ({ c, orgId, params }) => {
    const which = { installId: params.install_id, componentId: params.component_id };
    return answerInTurns(c, broker, await showInstallComponent(db, orgId, which));
  });
  app.handle(routes.getInstallComponentOutputsRoute, async ({ c, orgId, params }) => {
    const which = { installId: params.install_id, componentId: params.component_id };
    return answerInTurns(c, broker, await showComponentOutputs(broker, orgId, which));
  });
};

const readOfComponent: RegisterRoutes = (app, { db }) => {
  app.handle(routes.listDeploysOfComponentRoute, async ({ c, orgId, params, query }) => {
    const { install_id: installId, component_id: componentId } = params;
    const { target } = await requireTarget(db, orgId, { installId, componentId });
    const [page, filter] = splitQuery(query);
    return await answerList(c, page, {
      filters: { target_id: target.id, ...filter },
      read: (request: ListRequest) =>
        deployRows.list(db, orgId, { params: { target_id: target.id }, filter, ...request }),
      toItem: (row) => deployRows.toItem(row),
    });
  });
  app.handle(routes.getLatestDeployOfComponentRoute, async ({ orgId, params }) => {
    const { install_id: installId, component_id: componentId } = params;
    const { target } = await requireTarget(db, orgId, { installId, componentId });
    return deployRows.toItem(await requireLatest(db, orgId, { target_id: target.id }));
  });
  app.handle(routes.getDeployOfComponentRoute, async ({ orgId, params }) => {
    const row = await deployRows.find(db, orgId, params);
    if (row === undefined) throw problem.notFound("deploy");
    return deployRows.toItem(row);
  });
};

const readOfInstall: RegisterRoutes = (app, { db }) => {
  app.handle(routes.getLatestDeployRoute, async ({ orgId, params: { install_id } }) => {
    await requireInstall(db, orgId, install_id);
    return deployRows.toItem(await requireLatest(db, orgId, { install_id }));
  });
  app.handle(routes.getSandboxRunByIdRoute, async ({ orgId, params }) => {
    const row = await sandboxRunRows.find(db, orgId, params);
    if (row === undefined) throw problem.notFound("sandbox run");
    return sandboxRunRows.toItem(row);
  });
  app.handle(routes.listDriftedObjectsRoute, async ({ orgId, params }) => {
    return await showDriftedObjects(db, orgId, params.install_id);
  });
};

async function requireLatest(
  db: Db,
  org: OrgId,
  params: Readonly<Record<string, string>>,
): Promise<ShownDeployRow> {
  const page = { after: undefined, limit: 1, offset: 0 };
  const [row] = await deployRows.list(db, org, { params, filter: {}, ...page });
  if (row === undefined) throw problem.notFound("deploy", "Nothing was deployed yet.");
  return row;
}

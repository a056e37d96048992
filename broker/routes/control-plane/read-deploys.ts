import { listDriftedObjectsRoute } from "../../../shared/api/drifted-objects.ts";
import * as routes from "../../../shared/api/install-components.ts";
import type { Broker } from "../../broker.ts";
import type { ListRequest } from "../../database/page-request.ts";
import { deployRows, toSandboxRun } from "../../deploys/deploy-rows.ts";
import { driftRows } from "../../deploys/drift-rows.ts";
import { listSandboxRuns } from "../../deploys/sandbox-run-queries.ts";
import {
  showDeploy,
  showLatestDeploy,
  showSandboxRun,
  type WithOutputs,
} from "../../deploys/show-deploys.ts";
import {
  prepareInstallComponents,
  requireTarget,
  showComponentOutputs,
  showInstallComponent,
} from "../../deploys/show-install-components.ts";
import { answerFinished } from "../../http/answer/answer-finished.ts";
import { answerInTurns } from "../../http/answer/answer-in-turns.ts";
import { answerList, splitQuery } from "../../http/answer/answer-list.ts";
import { answerPart } from "../../http/answer/answer-part.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { openResource } from "../../http/resources/open-resource.ts";
import { requireInstall } from "../../installs/keep-installs.ts";
import { readLabelQuery } from "../../labels/label-query.ts";

/** GET /v1/installs/{install_id}/components and all below it, …/deploys, …/sandbox-runs, …/drifted-objects, /v1/installs/sandbox-runs/{sandbox_run_id} */
export const readDeploys: RegisterRoutes = (app, broker) => {
  readOfInstall(app, broker);
  openResource(app, broker, deployRows);
  readSandboxRuns(app, broker);
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
    return answerFinished(c, broker, [await showComponentOutputs(broker, orgId, which)]);
  });
};

const readOfComponent: RegisterRoutes = (app, broker) => {
  const { db } = broker;
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
  app.handle(routes.getLatestDeployOfComponentRoute, async ({ c, actor, orgId, params }) => {
    const { install_id: installId, component_id: componentId } = params;
    const { target } = await requireTarget(db, orgId, { installId, componentId });
    const latest = await showLatestDeploy(broker, actor, { target_id: target.id });
    return answerWithOutputs(c, broker, latest);
  });
  app.handle(routes.getDeployOfComponentRoute, async ({ c, actor, params }) =>
    answerWithOutputs(c, broker, await showDeploy(broker, actor, params)),
  );
};

/** An install has fewer components. */
const mostDrifted = 2000;

const readOfInstall: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(routes.getLatestDeployRoute, async ({ c, actor, params: { install_id } }) => {
    await requireInstall(db, actor.orgId, install_id);
    return answerWithOutputs(c, broker, await showLatestDeploy(broker, actor, { install_id }));
  });
  app.handle(listDriftedObjectsRoute, async ({ orgId, params }) => {
    await requireInstall(db, orgId, params.install_id);
    const all = { after: undefined, limit: mostDrifted, offset: 0 };
    const rows = await driftRows.list(db, orgId, { params, filter: {}, ...all });
    return rows.map((row) => driftRows.toItem(row));
  });
  app.handle(routes.getDeployRoute, async ({ c, actor, params }) =>
    answerWithOutputs(c, broker, await showDeploy(broker, actor, params)),
  );
};

const readSandboxRuns: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(routes.listSandboxRunsRoute, async ({ c, orgId, params, query }) => {
    const { install_id: installId } = params;
    await requireInstall(db, orgId, installId);
    const [page, filter] = splitQuery(query);
    return await answerList(c, page, {
      filters: { installId, ...filter },
      read: (request: ListRequest) => listSandboxRuns(db, orgId, { installId, filter, ...request }),
      toItem: toSandboxRun,
    });
  });
  app.handle(routes.getSandboxRunRoute, async ({ c, actor, params }) => {
    const which = { id: params.sandbox_run_id, installId: params.install_id };
    return answerWithOutputs(c, broker, await showSandboxRun(broker, actor, which));
  });
  app.handle(routes.getSandboxRunByIdRoute, async ({ c, actor, params }) => {
    const which = { id: params.sandbox_run_id };
    return answerWithOutputs(c, broker, await showSandboxRun(broker, actor, which));
  });
};

/** The outputs as they were stored: they may be long. */
async function answerWithOutputs<Whole extends object>(
  c: AppContext,
  broker: Broker,
  { shown, outputs }: WithOutputs<Whole>,
): Promise<never> {
  return answerInTurns(c, broker, shown, { last: { name: "outputs", json: outputs } });
}

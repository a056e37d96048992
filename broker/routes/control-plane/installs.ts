import {
  getInstallInputsRoute,
  listInstallInputsRoute,
  replaceInstallInputsRoute,
  updateInstallInputsRoute,
} from "../../../shared/api/install-inputs.ts";
import {
  deprovisionInstallRoute,
  reprovisionInstallRoute,
  updateInstallConfigRoute,
} from "../../../shared/api/install-workflows.ts";
import type { NewInstall } from "../../../shared/api/install.ts";
import {
  createInstallOfAppRoute,
  createInstallRoute,
  deleteInstallRoute,
  forgetInstallRoute,
  mergeInstallLabelsRoute,
  removeInstallLabelsRoute,
  updateInstallRoute,
} from "../../../shared/api/installs.ts";
import { mostUpdated, updateInstallsRoute } from "../../../shared/api/update-installs.ts";
import type { Broker } from "../../broker.ts";
import type { ListRequest } from "../../database/page-request.ts";
import { answerList, splitQuery } from "../../http/answer/answer-list.ts";
import { hasVersion } from "../../http/answer/etag.ts";
import { tellThere } from "../../http/answer/tell-there.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { askingOf } from "../../http/gate/asking-of.ts";
import { openResource } from "../../http/resources/open-resource.ts";
import {
  deleteInstall,
  deprovisionInstall,
  reprovisionInstall,
  updateInstallConfig,
} from "../../installs/begin-workflow.ts";
import { requireFitting } from "../../installs/configs/keep-install-configs.ts";
import { createInstall } from "../../installs/create-install.ts";
import { installRows } from "../../installs/install-rows.ts";
import { changeInputs, listInputs, showInputs } from "../../installs/keep-inputs.ts";
import {
  changeLabels,
  forgetInstall,
  requireInstall,
  showInstall,
  updateInstall,
} from "../../installs/keep-installs.ts";
import { updateInstalls } from "../../installs/update-installs.ts";

/** /v1/installs, /v1/apps/{app_id}/installs, and an install's inputs, secrets, states and workflows to begin */
export const keepInstalls: RegisterRoutes = (app, broker) => {
  create(app, broker);
  openResource(app, broker, installRows);
  change(app, broker);
  label(app, broker);
  keepInputs(app, broker);
  begin(app, broker);
};

const create: RegisterRoutes = (app, broker) => {
  app.handle(createInstallRoute, async ({ c, params: { app_id: appId }, body }) => {
    return await created(c, broker, { appId, install: body });
  });
  app.handle(createInstallOfAppRoute, async ({ c, body }) => {
    const { app_id: appId, ...install } = body;
    return await created(c, broker, { appId, install });
  });
};

async function created(
  c: AppContext,
  broker: Broker,
  wanted: { readonly appId: string; readonly install: NewInstall },
) {
  const asking = askingOf(c, broker);
  const { orgId } = asking.actor;
  const { id, workflowId } = tellThere(c, await createInstall(broker, asking, wanted));
  const { install } = await asking.withPermit(() => showInstall(broker.db, orgId, id));
  return { ...install, ...(workflowId !== undefined && { workflow_id: workflowId }) };
}

const change: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(
    updateInstallRoute,
    async ({ c, params: { install_id: id }, body: changes, requiredVersion }) => {
      const asking = askingOf(c, broker);
      const { orgId } = asking.actor;
      const { install_config: given } = changes;
      const fitting = { installId: id, given: given ?? {}, at: "#/install_config" } as const;
      if (given !== undefined) await asking.withPermit(() => requireFitting(db, orgId, fitting));
      await updateInstall(broker, asking, { id, version: requiredVersion(), changes });
      const shown = await asking.withPermit(() => showInstall(db, orgId, id));
      hasVersion(c, shown.version);
      return shown.install;
    },
  );
  app.handle(deleteInstallRoute, async ({ actor, params: { install_id: id } }) => ({
    workflow_id: await deleteInstall(broker, actor, id),
  }));
  app.handle(
    forgetInstallRoute,
    async ({ orgId, params: { install_id: id }, body: { confirm } }) =>
      await forgetInstall(db, orgId, { id, confirm }),
  );
};

const label: RegisterRoutes = (app, { db }) => {
  app.handle(mergeInstallLabelsRoute, async ({ orgId, params: { install_id: id }, body }) => {
    await changeLabels(db, orgId, { id, labels: body.labels, removed: [] });
    return (await showInstall(db, orgId, id)).install;
  });
  app.handle(removeInstallLabelsRoute, async ({ orgId, params: { install_id: id }, body }) => {
    await changeLabels(db, orgId, { id, labels: {}, removed: body.keys });
    return (await showInstall(db, orgId, id)).install;
  });
};

const keepInputs: RegisterRoutes = (app, broker) => {
  app.handle(listInstallInputsRoute, async ({ c, orgId, params: { install_id: id }, query }) => {
    await requireInstall(broker.db, orgId, id);
    const [page, created] = splitQuery(query);
    const listedInputs = await answerList(c, page, {
      filters: created,
      read: (request: ListRequest) => listInputs(broker, orgId, { id, created, ...request }),
      toItem: ({ show }) => show(),
    });
    return listedInputs;
  });
  app.handle(
    getInstallInputsRoute,
    async ({ orgId, params: { install_id: id } }) => await showInputs(broker, orgId, id),
  );
  app.handle(replaceInstallInputsRoute, async ({ actor, params: { install_id: id }, body }) => {
    const wanted = { id, given: body.inputs, isWhole: true };
    return await changeInputs(broker, actor, wanted);
  });
  app.handle(updateInstallInputsRoute, async ({ actor, params: { install_id: id }, body }) => {
    const { inputs: given, role } = body;
    const wanted = { id, given, isWhole: false, role };
    return await changeInputs(broker, actor, wanted);
  });
};

const begin: RegisterRoutes = (app, broker) => {
  app.handle(reprovisionInstallRoute, async ({ actor, params: { install_id: id }, body }) => {
    const { role, plan_only: planOnly } = body;
    const wanted = { id, role, planOnly };
    return { workflow_id: await reprovisionInstall(broker, actor, wanted) };
  });
  app.handle(deprovisionInstallRoute, async ({ actor, params: { install_id: id }, body }) => {
    const { role, plan_only: planOnly } = body;
    const wanted = { id, role, planOnly };
    return { workflow_id: await deprovisionInstall(broker, actor, wanted) };
  });
  app.handle(updateInstallConfigRoute, async ({ actor, params: { install_id: id }, body }) => {
    const { app_config_id: configId, plan_only: planOnly } = body;
    const wanted = { id, configId, planOnly };
    return { workflow_id: await updateInstallConfig(broker, actor, wanted) };
  });
  app.handle(updateInstallsRoute, async ({ actor, params, body }) => {
    const { app_id: app, app_config_id: configId } = params;
    const asked = { ...body, most: mostUpdated };
    return await updateInstalls(broker, actor, { app, configId }, asked);
  });
};

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
import { answerListing } from "../../http/answer/answer-listing.ts";
import { hasVersion, requiredVersion } from "../../http/answer/etag.ts";
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

/** /v1/installs, /v1/apps/{app_id}/installs, and an install's inputs, states and workflows to begin */
export const keepInstalls: RegisterRoutes = (app, broker) => {
  create(app, broker);
  openResource(app, broker, installRows);
  change(app, broker);
  label(app, broker);
  keepInputs(app, broker);
  begin(app, broker);
};

const create: RegisterRoutes = (app, broker) => {
  app.openapi(createInstallRoute, async (c) => {
    const { app_id: appId } = c.req.valid("param");
    const { shown, isNew } = await created(c, broker, { appId, install: c.req.valid("json") });
    return c.json(shown, isNew ? 201 : 200);
  });
  app.openapi(createInstallOfAppRoute, async (c) => {
    const { app_id: appId, ...install } = c.req.valid("json");
    const { shown, isNew } = await created(c, broker, { appId, install });
    return c.json(shown, isNew ? 201 : 200);
  });
};

async function created(
  c: AppContext,
  broker: Broker,
  wanted: { readonly appId: string; readonly install: NewInstall },
) {
  const asking = askingOf(c, broker);
  const { orgId } = asking.actor;
  const { id, workflowId, isNew } = await createInstall(broker, asking, wanted);
  const { install } = await asking.withPermit(() => showInstall(broker.db, orgId, id));
  return {
    shown: { ...install, ...(workflowId !== undefined && { workflow_id: workflowId }) },
    isNew,
  };
}

const change: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.openapi(updateInstallRoute, async (c) => {
    const asking = askingOf(c, broker);
    const { orgId } = asking.actor;
    const { install_id: id } = c.req.valid("param");
    const changes = c.req.valid("json");
    const { install_config: given } = changes;
    const fitting = { installId: id, given: given ?? {}, at: "#/install_config" } as const;
    if (given !== undefined) await asking.withPermit(() => requireFitting(db, orgId, fitting));
    await updateInstall(broker, asking, { id, version: requiredVersion(c), changes });
    const shown = await asking.withPermit(() => showInstall(db, orgId, id));
    hasVersion(c, shown.version);
    return c.json(shown.install, 200);
  });
  app.openapi(deleteInstallRoute, async (c) => {
    const { install_id: id } = c.req.valid("param");
    return c.json({ workflow_id: await deleteInstall(broker, c.get("actor"), id) }, 200);
  });
  app.openapi(forgetInstallRoute, async (c) => {
    const { install_id: id } = c.req.valid("param");
    const { confirm } = c.req.valid("json");
    return c.json(await forgetInstall(db, c.get("actor").orgId, { id, confirm }), 200);
  });
};

const label: RegisterRoutes = (app, { db }) => {
  app.openapi(mergeInstallLabelsRoute, async (c) => {
    const { orgId } = c.get("actor");
    const { install_id: id } = c.req.valid("param");
    await changeLabels(db, orgId, { id, labels: c.req.valid("json").labels, removed: [] });
    return c.json((await showInstall(db, orgId, id)).install, 200);
  });
  app.openapi(removeInstallLabelsRoute, async (c) => {
    const { orgId } = c.get("actor");
    const { install_id: id } = c.req.valid("param");
    await changeLabels(db, orgId, { id, labels: {}, removed: c.req.valid("json").keys });
    return c.json((await showInstall(db, orgId, id)).install, 200);
  });
};

const keepInputs: RegisterRoutes = (app, broker) => {
  app.openapi(listInstallInputsRoute, async (c) => {
    const { orgId } = c.get("actor");
    const { install_id: id } = c.req.valid("param");
    await requireInstall(broker.db, orgId, id);
    const { cursor, limit, offset, ...created } = c.req.valid("query");
    const listedInputs = await answerListing(
      c,
      { cursor, limit, offset },
      {
        filters: created,
        read: (request: ListRequest) => listInputs(broker, orgId, { id, created, ...request }),
        toItem: ({ show }) => show(),
      },
    );
    return c.json(listedInputs, 200);
  });
  app.openapi(getInstallInputsRoute, async (c) => {
    const { install_id: id } = c.req.valid("param");
    return c.json(await showInputs(broker, c.get("actor").orgId, id), 200);
  });
  app.openapi(replaceInstallInputsRoute, async (c) => {
    const { install_id: id } = c.req.valid("param");
    const wanted = { id, given: c.req.valid("json").inputs, isWhole: true };
    return c.json(await changeInputs(broker, c.get("actor"), wanted), 201);
  });
  app.openapi(updateInstallInputsRoute, async (c) => {
    const { install_id: id } = c.req.valid("param");
    const { inputs: given, role } = c.req.valid("json");
    const wanted = { id, given, isWhole: false, role };
    return c.json(await changeInputs(broker, c.get("actor"), wanted), 200);
  });
};

const begin: RegisterRoutes = (app, broker) => {
  app.openapi(reprovisionInstallRoute, async (c) => {
    const { install_id: id } = c.req.valid("param");
    const { role, plan_only: planOnly } = c.req.valid("json");
    const wanted = { id, role, planOnly };
    return c.json({ workflow_id: await reprovisionInstall(broker, c.get("actor"), wanted) }, 201);
  });
  app.openapi(deprovisionInstallRoute, async (c) => {
    const { install_id: id } = c.req.valid("param");
    const { role, plan_only: planOnly } = c.req.valid("json");
    const wanted = { id, role, planOnly };
    return c.json({ workflow_id: await deprovisionInstall(broker, c.get("actor"), wanted) }, 201);
  });
  app.openapi(updateInstallConfigRoute, async (c) => {
    const { install_id: id } = c.req.valid("param");
    const { app_config_id: configId, plan_only: planOnly } = c.req.valid("json");
    const wanted = { id, configId, planOnly };
    return c.json({ workflow_id: await updateInstallConfig(broker, c.get("actor"), wanted) }, 201);
  });
  app.openapi(updateInstallsRoute, async (c) => {
    const { app_id: app, app_config_id: configId } = c.req.valid("param");
    const asked = { ...c.req.valid("json"), most: mostUpdated };
    return c.json(await updateInstalls(broker, c.get("actor"), { app, configId }, asked), 201);
  });
};

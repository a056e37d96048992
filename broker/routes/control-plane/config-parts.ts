import { activateAppConfigRoute } from "../../../shared/api/app-configs.ts";
import * as routes from "../../../shared/api/config-parts.ts";
import * as named from "../../../shared/api/named-parts.ts";
import { configFiles } from "../../../shared/app-config/config-files.ts";
import { showAction } from "../../actions/show-app-actions.ts";
import type { Members } from "../../app-configs/config-part.ts";
import { addConfigParts, beginConfig, updateConfig } from "../../app-configs/grow-config.ts";
import { showConfig } from "../../app-configs/show-configs.ts";
import type { Broker } from "../../broker.ts";
import { answerFinished } from "../../http/answer/answer-finished.ts";
import { answerInTurns } from "../../http/answer/answer-in-turns.ts";
import { tellThere } from "../../http/answer/tell-there.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { askingOf } from "../../http/gate/asking-of.ts";
import { addConfigOf, addNamedPart } from "../../named-parts/keep-named-parts.ts";
import { showComponent, showRunbook } from "../../named-parts/show-named-parts.ts";
import type { OrgId } from "../../orgs/org-id.ts";

/** POST /v1/apps/{app_id}/configs, PATCH …/configs/{app_config_id}, and the parts between them, with what they give a name. */
export const keepConfigParts: RegisterRoutes = (app, broker) => {
  grow(app, broker);
  addParts(app, broker);
  addNamed(app, broker);
  addConfigs(app, broker);
  addComponentConfigs(app, broker);
};

const grow: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(routes.createAppConfigRoute, async ({ c, actor, params: { app_id }, body }) => {
    const id = await beginConfig(db, actor, app_id, body);
    const which = { app: app_id, id };
    return answerFinished(c, broker, await showConfig(db, actor.orgId, which), {
      status: 201,
    });
  });
  app.handle(routes.updateAppConfigRoute, async ({ c, params, body }) => {
    return await update(c, broker, { params, patch: body, status: 201 });
  });
  app.handle(activateAppConfigRoute, async ({ c, params }) => {
    return await update(c, broker, { params, patch: { status: "active" }, status: 202 });
  });
};

type Update = {
  readonly params: { readonly app_id: string; readonly app_config_id: string };
  readonly patch: routes.AppConfigPatch;
  readonly status: 201 | 202;
};

async function update(c: AppContext, broker: Broker, { params, patch, status }: Update) {
  const asking = askingOf(c, broker);
  const which = { app: params.app_id, id: params.app_config_id };
  const { isSame } = await updateConfig(broker, asking, which, patch);
  tellThere(c, { isNew: !isSame });
  const { orgId } = asking.actor;
  const json = await asking.withPermit(() => showConfig(broker.db, orgId, which));
  return answerFinished(c, broker, json, { status });
}

const files = [
  [routes.addMetadataRoute, "metadata"],
  [routes.addInputsRoute, "inputs"],
  [routes.addSandboxRoute, "sandbox"],
  [routes.addRunnerRoute, "runner"],
  [routes.addStackRoute, "stack"],
  [routes.addPermissionsRoute, "permissions"],
  [routes.addBreakGlassRoute, "break-glass"],
  [routes.addOperationRolesRoute, "operation-roles"],
  [routes.addPoliciesRoute, "policies"],
  [routes.addSecretsRoute, "secrets"],
  [routes.addContextsRoute, "kubernetes-contexts"],
  [routes.addTriggerRulesRoute, "trigger-rules"],
] as const;

const addParts: RegisterRoutes = (app, { db }) => {
  for (const [route, type] of files) {
    const file = configFiles.find((one) => one.type === type)?.file ?? "";
    app.handle(route, async ({ actor, params: { app_id }, body }) => {
      const { app_config_id: id, ...members } = body;
      const which = { app: app_id, id };
      const { given, besides } = partsIn(type, members);
      await addConfigParts(db, actor, which, [{ file, type, given }, ...besides]);
      return { id, app_id, app_config_id: id, file };
    });
  }
};

/** A part with what records have in it, and files beside it. What is no list of roles is refused with the whole. */
function partsIn(type: string, { break_glass_roles: roles, ...given }: Members) {
  const isEmpty = Array.isArray(roles) && roles.length === 0;
  const isBeside = type === "permissions" && roles !== undefined && roles !== null && !isEmpty;
  const beside = { file: "break_glass.toml", type: "break-glass", given: { role: roles } };
  return { given, besides: isBeside ? [beside] : [] };
}

const namers = [
  [named.addComponentRoute, "components"],
  [named.addActionRoute, "actions"],
  [named.addRunbookRoute, "runbooks"],
] as const;

const addNamed: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  for (const [route, kind] of namers) {
    app.handle(route, async ({ c, actor, params, body }) => {
      const of = { app: params.app_id, kind };
      const { part } = tellThere(c, await addNamedPart(db, actor, of, body));
      const { id, app_config_id, file } = part;
      const shown = await show[kind](db, actor.orgId, { app: of.app, id });
      return answerInTurns(c, broker, { ...shown, app_config_id, file }, { status: 201 });
    });
  }
};

const show = {
  actions: async (db: Broker["db"], org: OrgId, { app, id }: WhichPart) =>
    await showAction(db, org, { appId: app, id }),
  components: showComponent,
  runbooks: showRunbook,
} as const;
type WhichPart = { readonly app: string; readonly id: string };

const addConfigs: RegisterRoutes = (app, { db }) => {
  app.handle(named.addActionConfigRoute, async ({ actor, params, body }) => {
    const { app_id, action_id: id } = params;
    const of = { app: app_id, kind: "actions", id, type: "action" } as const;
    return await addConfigOf(db, actor, of, body);
  });
  app.handle(named.addRunbookConfigRoute, async ({ actor, params, body }) => {
    const { app_id, runbook_id: id } = params;
    const of = { app: app_id, kind: "runbooks", id, type: "runbook" } as const;
    return await addConfigOf(db, actor, of, body);
  });
};

const componentConfigs = [
  [named.addDockerBuildRoute, "docker_build"],
  [named.addExternalImageRoute, "container_image"],
  [named.addHelmRoute, "helm_chart"],
  [named.addJobRoute, "job"],
  [named.addManifestRoute, "kubernetes_manifest"],
  [named.addPulumiRoute, "pulumi"],
  [named.addTerraformModuleRoute, "terraform_module"],
] as const;

const addComponentConfigs: RegisterRoutes = (app, { db }) => {
  for (const [route, type] of componentConfigs) {
    app.handle(route, async ({ actor, params, body }) => {
      const { app_id, component_id: id } = params;
      const of = { app: app_id, kind: "components", id, type } as const;
      return await addConfigOf(db, actor, of, body);
    });
  }
};

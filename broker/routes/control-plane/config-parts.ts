import type { JSONValue } from "hono/utils/types";
import * as routes from "../../../shared/api/config-parts.ts";
import type { AppConfigPart } from "../../../shared/api/latest-config-parts.ts";
import * as routesOfLatest from "../../../shared/api/latest-config-parts.ts";
import { addConfigPart, beginConfig, updateConfig } from "../../app-configs/grow-config.ts";
import { showConfig } from "../../app-configs/show-configs.ts";
import { showLatestPart } from "../../app-configs/show-latest-part.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";

/** POST /v1/apps/{app_id}/configs, PATCH …/configs/{app_config_id}, the parts between them, and parts of the active one. */
export const keepConfigParts: RegisterRoutes = (app, broker) => {
  grow(app, broker);
  addParts(app, broker);
  readLatest(app, broker);
};

const grow: RegisterRoutes = (app, { db }) => {
  app.openapi(routes.createAppConfigRoute, async (c) => {
    const actor = c.get("actor");
    const { app_id } = c.req.valid("param");
    const id = await beginConfig(db, actor, app_id, c.req.valid("json"));
    return c.json(await showConfig(db, actor.orgId, { app: app_id, id }, false), 201);
  });
  app.openapi(routes.updateAppConfigRoute, async (c) => {
    const actor = c.get("actor");
    const { app_id, app_config_id: id } = c.req.valid("param");
    const which = { app: app_id, id };
    const { isSame } = await updateConfig(db, actor, which, c.req.valid("json"));
    return c.json(await showConfig(db, actor.orgId, which, false), isSame ? 200 : 201);
  });
};

const files = [
  [routes.addMetadataRoute, "metadata.toml"],
  [routes.addInputsRoute, "inputs.toml"],
  [routes.addSandboxRoute, "sandbox.toml"],
  [routes.addRunnerRoute, "runner.toml"],
  [routes.addStackRoute, "stack.toml"],
  [routes.addPermissionsRoute, "permissions.toml"],
  [routes.addBreakGlassRoute, "break_glass.toml"],
  [routes.addOperationRolesRoute, "operation_roles.toml"],
  [routes.addPoliciesRoute, "policies.toml"],
  [routes.addSecretsRoute, "secrets.toml"],
  [routes.addContextsRoute, "kubernetes_contexts.toml"],
  [routes.addTriggerRulesRoute, "trigger_rules.toml"],
  [routes.addComponentRoute, "components/"],
  [routes.addActionRoute, "actions/"],
  [routes.addRunbookRoute, "runbooks/"],
] as const;

const addParts: RegisterRoutes = (app, { db }) => {
  for (const [route, place] of files) {
    app.openapi(route, async (c) => {
      const { app_id } = c.req.valid("param");
      const { app_config_id: id, ...contents } = c.req.valid("json");
      const name = "name" in contents ? contents.name : "";
      const file = place.endsWith("/") ? `${place}${name}.toml` : place;
      await addConfigPart(db, c.get("actor").orgId, { app: app_id, id }, { file, contents });
      return c.json({ id, app_id, app_config_id: id, file }, 201);
    });
  }
};

const latest = [
  [routesOfLatest.getLatestInputConfigRoute, "inputs"],
  [routesOfLatest.getLatestSandboxConfigRoute, "sandbox"],
  [routesOfLatest.getLatestRunnerConfigRoute, "runner"],
  [routesOfLatest.getLatestStackConfigRoute, "stack"],
  [routesOfLatest.getLatestPermissionsConfigRoute, "roles"],
  [routesOfLatest.getLatestBreakGlassConfigRoute, "break glass roles"],
  [routesOfLatest.getLatestOperationRoleConfigRoute, "operation roles"],
  [routesOfLatest.getLatestPoliciesConfigRoute, "policies"],
  [routesOfLatest.getLatestSecretsConfigRoute, "secrets"],
] as const;

const readLatest: RegisterRoutes = (app, { db }) => {
  for (const [route, part] of latest) {
    app.openapi(route, async (c) => {
      const { orgId } = c.get("actor");
      const shown = await showLatestPart(db, orgId, c.req.valid("param").app_id, part);
      return c.json(shown as AppConfigPart & Record<string, JSONValue>, 200); // of JSON, as it was checked
    });
  }
};

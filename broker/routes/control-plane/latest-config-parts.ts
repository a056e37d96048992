import type { JSONValue } from "hono/utils/types";
import {
  type AppConfigPart,
  getLatestBreakGlassConfigRoute,
  getLatestInputConfigRoute,
  getLatestOperationRoleConfigRoute,
  getLatestPermissionsConfigRoute,
  getLatestPoliciesConfigRoute,
  getLatestRunnerConfigRoute,
  getLatestSandboxConfigRoute,
  getLatestSecretsConfigRoute,
  getLatestStackConfigRoute,
} from "../../../shared/api/latest-config-parts.ts";
import { showLatestPart } from "../../app-configs/show-latest-part.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";

const routes = [
  [getLatestInputConfigRoute, "inputs"],
  [getLatestSandboxConfigRoute, "sandbox"],
  [getLatestRunnerConfigRoute, "runner"],
  [getLatestStackConfigRoute, "stack"],
  [getLatestPermissionsConfigRoute, "roles"],
  [getLatestBreakGlassConfigRoute, "break glass roles"],
  [getLatestOperationRoleConfigRoute, "operation roles"],
  [getLatestPoliciesConfigRoute, "policies"],
  [getLatestSecretsConfigRoute, "secrets"],
] as const;

/** /v1/apps/{app_id}/latest-input-config and its like */
export const readLatestConfigParts: RegisterRoutes = (app, { db }) => {
  for (const [route, part] of routes) {
    app.openapi(route, async (c) => {
      const { orgId } = c.get("actor");
      const shown = await showLatestPart(db, orgId, c.req.valid("param").app_id, part);
      return c.json(shown as AppConfigPart & Record<string, JSONValue>, 200); // of JSON, as it was checked
    });
  }
};

import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";

/** A part of a config; its own members are those of the file that it comes from. */
export const configPartSchema = z
  .looseObject({
    id: z.string().describe("That of the config: a part has none of its own."),
    org_id: z.string(),
    app_id: z.string(),
    app_config_id: z.string(),
    created_at: z.iso.datetime().describe("Of the config."),
    created_by_id: z.string(),
  })
  .openapi("AppConfigPart");
export type AppConfigPart = z.infer<typeof configPartSchema>;

/** The route of one part. */
function latestPart(operationId: string, path: string, what: string) {
  return createRoute(operationId, {
    get: `/v1/apps/{app_id}/latest-${path}`,
    rule: { surface: "control-plane", permission: "apps.read" },
    tags: ["Apps"],
    summary: `Read the ${what} of the active config`,
    description:
      "Its members are those of its file (docs/app-config-files.md), lists by the names of the API. 404 `app_config_part_not_found` for an app without an active " +
      "config, and for a config without this part.",
    responses: { 200: json(configPartSchema, "The part.") },
  });
}

export const getLatestInputConfigRoute = latestPart(
  "getLatestAppInputConfig",
  "input-config",
  "inputs",
);
export const getLatestSandboxConfigRoute = latestPart(
  "getLatestAppSandboxConfig",
  "sandbox-config",
  "sandbox",
);
export const getLatestRunnerConfigRoute = latestPart(
  "getLatestAppRunnerConfig",
  "runner-config",
  "runner",
);
export const getLatestStackConfigRoute = latestPart(
  "getLatestAppStackConfig",
  "stack-config",
  "stack",
);
export const getLatestPermissionsConfigRoute = latestPart(
  "getLatestAppPermissionsConfig",
  "permissions-config",
  "roles",
);
export const getLatestBreakGlassConfigRoute = latestPart(
  "getLatestAppBreakGlassConfig",
  "break-glass-config",
  "roles of emergencies",
);
export const getLatestOperationRoleConfigRoute = latestPart(
  "getLatestAppOperationRoleConfig",
  "operation-role-config",
  "rules of which role an operation uses",
);
export const getLatestPoliciesConfigRoute = latestPart(
  "getLatestAppPoliciesConfig",
  "policies-config",
  "policies",
);
export const getLatestSecretsConfigRoute = latestPart(
  "getLatestAppSecretsConfig",
  "secrets-config",
  "secrets that installs are asked for",
);
export const getLatestMetadataConfigRoute = latestPart(
  "getLatestAppMetadataConfig",
  "metadata-config",
  "metadata",
);
export const getLatestContextsConfigRoute = latestPart(
  "getLatestAppKubernetesContextsConfig",
  "kubernetes-contexts-config",
  "clusters that actions can name",
);
export const getLatestTriggerRulesConfigRoute = latestPart(
  "getLatestAppTriggerRulesConfig",
  "trigger-rules-config",
  "trigger rules",
);

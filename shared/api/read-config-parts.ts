import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { configPartSchema } from "./latest-config-parts.ts";
import { listingDescription, listingOf, listingQuery } from "./listing.ts";
import { json } from "./response.ts";

const rule = { surface: "control-plane", permission: "apps.read" } as const;
const tags = ["Apps"];

/** The part of one config, which is named by the id of that config. */
function partOf(operationId: string, path: string, what: string) {
  return createRoute(operationId, {
    get: `/v1/apps/{app_id}/${path}/{app_config_id}`,
    rule,
    tags,
    summary: `Read the ${what} of a config`,
    description:
      "Its members are those of its file (docs/app-config-files.md), lists by the names of the API. 404 `app_config_part_not_found` for a config that is not whole, " +
      "or has no such part.",
    responses: { 200: json(configPartSchema, "The part.") },
  });
}

/** That part of all configs that have it. */
function partsOf(operationId: string, path: string, what: string) {
  return createRoute(operationId, {
    get: `/v1/apps/{app_id}/${path}`,
    rule,
    tags,
    summary: `List the ${what} of an app's configs`,
    description: `One for each config that has it, the newest config first. ${listingDescription}`,
    query: z.object(listingQuery),
    responses: { 200: json(listingOf(configPartSchema), "Parts.") },
  });
}

export const getInputConfigRoute = partOf("getAppInputConfig", "input-configs", "inputs");
export const getStackConfigRoute = partOf("getAppStackConfig", "stack-configs", "stack");
export const getPermissionsConfigRoute = partOf(
  "getAppPermissionsConfig",
  "permissions-configs",
  "roles",
);
export const getBreakGlassConfigRoute = partOf(
  "getAppBreakGlassConfig",
  "break-glass-configs",
  "roles of emergencies",
);
export const getOperationRoleConfigRoute = partOf(
  "getAppOperationRoleConfig",
  "operation-role-configs",
  "rules of which role an operation uses",
);
export const getPoliciesConfigRoute = partOf(
  "getAppPoliciesConfig",
  "policies-configs",
  "policies",
);
export const getSecretsConfigRoute = partOf(
  "getAppSecretsConfig",
  "secrets-configs",
  "secrets that installs are asked for",
);
export const listInputConfigsRoute = partsOf("listAppInputConfigs", "input-configs", "inputs");
export const listPoliciesConfigsRoute = partsOf(
  "listAppPoliciesConfigs",
  "policies-configs",
  "policies",
);
export const listRunnerConfigsRoute = partsOf("listAppRunnerConfigs", "runner-configs", "runners");
export const listSandboxConfigsRoute = partsOf(
  "listAppSandboxConfigs",
  "sandbox-configs",
  "sandboxes",
);

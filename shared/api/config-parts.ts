import { z } from "@hono/zod-openapi";
import { configFiles } from "../app-config/config-files.ts";
import { chosen, configSchemaOf } from "../app-config/config-schemas.ts";
import { recordNamesOf } from "../app-config/record-names.ts";
import { spreadNamesOf } from "../app-config/record-shapes.ts";
import { configSchema } from "./app-configs.ts";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";
import { toCome } from "./to-come.ts";

const tags = ["Apps"];
const base = "/v1/apps/{app_id}/configs";
const writing = { surface: "control-plane", permission: "apps.write" } as const;
const adding = { ...writing, maxBody: "16 MiB", heldAs: "configs", idempotent: "replay" } as const;

const newConfigSchema = z
  .strictObject({
    readme: z
      .string()
      .max(2 ** 20)
      .default(""),
    cli_version: z.string().max(64).default("").describe("Kept with the config."),
    skip_notification: z.boolean().optional().describe("Has no effect: nobody is notified."),
    app_branch_id: toCome("branches of apps come with a later version"),
    intermediate_config_json: z
      .string()
      .max(2 ** 24)
      .optional()
      .describe("Has no effect: a config is what its parts say."),
    plan_only: z.boolean().default(false).describe("It is checked and never becomes active."),
  })
  .openapi("NewAppConfig");
export type NewAppConfig = z.infer<typeof newConfigSchema>;

const statuses = ["active", "error", "pending", "syncing"] as const;
const configPatchSchema = z
  .strictObject({
    status: z
      .enum(statuses)
      .describe("`active` checks and activates the config; `error` discards it."),
    status_description: z.string().max(4096).describe("Why, for `error`."),
    state: z
      .string()
      .max(2 ** 18)
      .describe("Your client's own text, which is kept with the config."),
    component_ids: z.array(z.string().max(64)).max(1000).describe("Has no effect."),
  })
  .partial()
  .openapi("AppConfigPatch");
export type AppConfigPatch = z.infer<typeof configPatchSchema>;

export const createAppConfigRoute = createRoute("createAppConfig", {
  post: base,
  rule: adding,
  tags,
  summary: "Create a config in parts",
  description:
    "The config is pending until its first part is added, then syncing. `PATCH` with the status `active` checks and activates it, as a sync does. After a day without that it becomes `error`.",
  body: newConfigSchema,
  responses: { 201: json(configSchema, "The config.") },
});

export const updateAppConfigRoute = createRoute("updateAppConfig", {
  patch: `${base}/{app_config_id}`,
  rule: { ...writing, ownPermit: true },
  tags,
  summary: "Activate or discard a config in parts",
  description:
    "422 with all `errors`, each with its `file`; the config is `error` then and keeps them. If an equal config is already active, this one becomes `outdated` (`Idempotent-Replayed`). 409 `config_sealed` for " +
    "one that is not pending or syncing any more.",
  body: configPatchSchema,
  responses: { 201: json(configSchema, "The config.") },
});

/** The config that a part is of. */
export const configOfPart = z.object({
  app_config_id: z.string().max(64).describe("The config that it is of."),
});
const addedSchema = z
  .object({
    id: z.string().describe("That of the config."),
    app_id: z.string(),
    app_config_id: z.string(),
    file: z.string().describe("Where it would stand in the config's directory."),
  })
  .openapi("AddedAppConfigPart");

/** It is checked with the whole; null is as if it were left out. */
const partMember = z.unknown().refine((value) => value !== null);

/**
 * The members of a kind of file, or of a type of component, by each name that they have: they are checked with the whole; what it does not
 * know is refused at once.
 */
export function membersOf(
  type: string,
  without: readonly string[] = [],
): Record<string, z.ZodOptional<typeof partMember>> {
  const component = chosen(configSchemaOf("component"), { type });
  const { properties, oneOf, anyOf } = component ?? configSchemaOf(type) ?? {};
  const kinds = [{ properties }, ...(oneOf ?? anyOf ?? [])];
  const names = kinds.flatMap((kind) => Object.keys(kind.properties ?? {}));
  const known = [...names, ...Object.keys(recordNamesOf(type)), ...spreadNamesOf(type)];
  return Object.fromEntries(
    known.filter((name) => !without.includes(name)).map((name) => [name, partMember.optional()]),
  );
}

function part(operationId: string, path: string, type: string) {
  const what = configFiles.find((one) => one.type === type)?.file ?? "";
  return createRoute(operationId, {
    post: `/v1/apps/{app_id}/${path}`,
    rule: adding,
    tags,
    summary: `Add ${what} to a config in parts`,
    description:
      "The members of that file (docs/app-config-files.md), or the names that records have for them, and `app_config_id`. An existing one is replaced. 409 " +
      "`config_sealed`.",
    body: z.strictObject({ ...membersOf(type), ...configOfPart.shape }),
    responses: { 201: json(addedSchema, "The part.") },
  });
}

export const addMetadataRoute = part("addAppMetadata", "metadata-configs", "metadata");
export const addInputsRoute = part("addAppInputs", "input-config", "inputs");
export const addSandboxRoute = part("addAppSandbox", "sandbox-configs", "sandbox");
export const addRunnerRoute = part("addAppRunner", "runner-configs", "runner");
export const addStackRoute = part("addAppStack", "stack-configs", "stack");
export const addPermissionsRoute = part("addAppPermissions", "permissions-configs", "permissions");
export const addBreakGlassRoute = part("addAppBreakGlass", "break-glass-configs", "break-glass");
export const addOperationRolesRoute = part(
  "addAppOperationRoles",
  "operation-role-configs",
  "operation-roles",
);
export const addPoliciesRoute = part("addAppPolicies", "policies-configs", "policies");
export const addSecretsRoute = part("addAppSecretsConfig", "secrets-configs", "secrets");
export const addContextsRoute = part(
  "addAppKubernetesContexts",
  "kubernetes-contexts-configs",
  "kubernetes-contexts",
);
export const addTriggerRulesRoute = part(
  "addAppTriggerRules",
  "trigger-rules-configs",
  "trigger-rules",
);

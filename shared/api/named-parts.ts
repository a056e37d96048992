import { z } from "@hono/zod-openapi";
import { nameShape } from "./app.ts";
import { configOfPart, membersOf } from "./config-parts.ts";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";

const tags = ["Apps"];
const adding = {
  surface: "control-plane",
  permission: "apps.write",
  maxBody: "16 MiB",
  heldAs: "configs",
  idempotent: "replay",
} as const;

const addedSchema = z
  .object({
    id: z.string().describe("Of the action, the component or the runbook."),
    app_id: z.string(),
    name: z.string(),
    app_config_id: z.string().nullable().describe("The config that has the part now."),
    file: z.string().nullable().describe("Where it would stand in that config's directory."),
  })
  .openapi("AddedNamedPart");

/** How something is named in an app: its config, or its part of a config that comes in parts, may follow. */
function addPart(operationId: string, path: string, type: string) {
  return createRoute(operationId, {
    post: `/v1/apps/{app_id}/${path}`,
    rule: adding,
    tags,
    summary: `Name one of an app's ${path}, or add it to a config in parts`,
    description:
      `With \`name\` alone: its id, for what its config is added to, also where the app has it already (\`Idempotent-Replayed\`). With \`app_config_id\` and the members of a file of ${path}/ ` +
      "(docs/app-config-files.md): it is added to that config, or replaced in it. 409 `config_sealed`, `too_many_of_kind`.",
    body: z.strictObject({
      ...membersOf(type),
      ...configOfPart.partial().shape,
      name: nameShape,
    }),
    responses: { 201: json(addedSchema, "What was named or added.") },
  });
}

export const addComponentRoute = addPart("addAppComponent", "components", "component");
export const addActionRoute = addPart("addAppAction", "actions", "action");
export const addRunbookRoute = addPart("addAppRunbook", "runbooks", "runbook");

/** What a call has in common that adds the config of something that has a name already. */
function addingConfig(type: string) {
  return {
    tags,
    description:
      "The members of its file but the name (docs/app-config-files.md), or the names that records have for them, and `app_config_id`. What that config has of it " +
      "stays, where this says nothing of it. 409 `config_sealed`.",
    body: z.strictObject({ ...membersOf(type, ["name", "type"]), ...configOfPart.shape }),
    responses: { 201: json(addedSchema, "The part.") },
  } as const;
}

export const addActionConfigRoute = createRoute("addAppActionConfig", {
  post: "/v1/apps/{app_id}/actions/{action_id}/configs",
  rule: adding,
  summary: "Add an action's config to a config in parts",
  ...addingConfig("action"),
});

export const addRunbookConfigRoute = createRoute("addAppRunbookConfig", {
  post: "/v1/apps/{app_id}/runbooks/{runbook_id}/configs",
  rule: adding,
  summary: "Add a runbook's config to a config in parts",
  ...addingConfig("runbook"),
});

/** A component's config says by its path of which type it is. */
function addComponentConfig(operationId: string, kind: string, type: string) {
  return createRoute(operationId, {
    post: `/v1/apps/{app_id}/components/{component_id}/configs/${kind}`,
    rule: adding,
    summary: `Add a component's config to a config in parts: ${type}`,
    ...addingConfig(type),
  });
}

export const addDockerBuildRoute = addComponentConfig(
  "addDockerBuildConfig",
  "docker-build",
  "docker_build",
);
export const addExternalImageRoute = addComponentConfig(
  "addExternalImageConfig",
  "external-image",
  "container_image",
);
export const addHelmRoute = addComponentConfig("addHelmConfig", "helm", "helm_chart");
export const addJobRoute = addComponentConfig("addJobConfig", "job", "job");
export const addManifestRoute = addComponentConfig(
  "addKubernetesManifestConfig",
  "kubernetes-manifest",
  "kubernetes_manifest",
);
export const addPulumiRoute = addComponentConfig("addPulumiConfig", "pulumi", "pulumi");
export const addTerraformModuleRoute = addComponentConfig(
  "addTerraformModuleConfig",
  "terraform-module",
  "terraform_module",
);

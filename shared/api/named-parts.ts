import { z } from "@hono/zod-openapi";
import { actionSchema } from "./actions.ts";
import { nameShape } from "./app.ts";
import { componentSchema } from "./components.ts";
import { configOfPart, membersOf } from "./config-parts.ts";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";
import { runbookSchema } from "./runbooks.ts";
import { aheadOf } from "./said-members.ts";

const tags = ["Apps"];
const adding = {
  surface: "control-plane",
  permission: "apps.write",
  maxBody: "16 MiB",
  heldAs: "configs",
  idempotent: "replay",
} as const;

const placed = {
  app_config_id: z.string().nullable().describe("The config that has the part now."),
  file: z.string().nullable().describe("Where it would stand in that config's directory."),
};
const addedSchema = z
  .object({
    id: z.string().describe("Of the action, the component or the runbook."),
    app_id: z.string(),
    name: z.string(),
    ...placed,
  })
  .openapi("AddedNamedPart");

type Kind<Answer extends z.ZodType> = {
  readonly path: string;
  readonly type: keyof typeof aheadOf;
  readonly answer: Answer;
};

/** How something is named in an app: its config, or its part of a config that comes in parts, may follow. */
function addPart<Answer extends z.ZodType>(
  operationId: string,
  { path, type, answer }: Kind<Answer>,
) {
  const ahead = aheadOf[type];
  const names = Object.keys(ahead.shape)
    .map((name) => `\`${name}\``)
    .join(", ");
  return createRoute(operationId, {
    post: `/v1/apps/{app_id}/${path}`,
    rule: adding,
    tags,
    summary: `Name one of an app's ${path}, or add it to a config in parts`,
    description:
      `With \`name\`: it is made for what its config is added to, or found where the app has it already (\`Idempotent-Replayed\`); ${names} may say what the next config in parts has of it. With \`app_config_id\` and the members of a file of ${path}/ ` +
      "(docs/app-config-files.md): it is added to that config, or replaced in it. 409 `config_sealed`, `too_many_of_kind`.",
    body: z
      .strictObject({
        ...membersOf(type),
        ...configOfPart.partial().shape,
        name: nameShape,
      })
      .check(({ value, issues }) => {
        if (value.app_config_id !== undefined) return;
        for (const issue of ahead.safeParse(value).error?.issues ?? [])
          issues.push({ ...issue, input: value } as (typeof issues)[number]); // one of zod's own
      }),
    responses: { 201: json(answer, "What was named or added.") },
  });
}

export const addComponentRoute = addPart("addAppComponent", {
  path: "components",
  type: "component",
  answer: componentSchema.extend(placed).openapi("AddedComponent"),
});
export const addActionRoute = addPart("addAppAction", {
  path: "actions",
  type: "action",
  answer: actionSchema.extend(placed).openapi("AddedAction"),
});
export const addRunbookRoute = addPart("addAppRunbook", {
  path: "runbooks",
  type: "runbook",
  answer: runbookSchema.extend(placed).openapi("AddedRunbook"),
});

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

import { z } from "@hono/zod-openapi";
import { componentTypes } from "../component-types.ts";
import { created } from "../resources/filters.ts";
import { instant, made, orNull, owned, text } from "../resources/members.ts";
import { resource } from "../resources/resource.ts";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";

export const installAppConfigs = resource({
  noun: "config version",
  plural: "configs that an install had",
  schema: "InstallAppConfigVersion",
  tag: "Installs",
  prefix: "iac",
  param: "version_id",
  path: "/v1/installs/{install_id}/app-config-versions",
  under: ["install"],
  surface: "control-plane",
  read: "installs.read",
  opens: ["list"],
  bound: "path",
  says: {
    list: "List which configs of its app an install had",
    listed: "One for each change; the first is the config that it has.",
  },
  members: {
    ...owned,
    install_id: text(),
    old_app_config_id: orNull(text(), "null: the first, or the first that is known."),
    new_app_config_id: text(),
    workflow_id: orNull(text(), "What brought it; null for a change of before it was recorded."),
    ...made,
    created_at: instant(
      "When the install got it; without a workflow, when the install was last changed.",
    ),
  },
  filters: created,
});

const entry = z.object({
  component_id: z.string(),
  component_name: z.string(),
  component_type: z.enum(componentTypes),
});
const partId = (words: string) => z.string().optional().describe(words);
const diffSchema = z
  .object({
    added: z.array(entry),
    changed: z.array(entry),
    removed: z.array(entry),
    unchanged: z.array(entry),
    sandbox_changed: z.boolean(),
    sandbox_old_id: partId("Where it differs: the config that has the former one."),
    sandbox_new_id: partId("Where it differs: the config that has the new one."),
    stack_changed: z.boolean(),
    stack_old_id: partId("As of the sandbox."),
    stack_new_id: partId("As of the sandbox."),
  })
  .openapi("InstallConfigDiff");
export type InstallConfigDiff = z.infer<typeof diffSchema>;

export const diffInstallAppConfigRoute = createRoute("diffInstallAppConfigs", {
  get: `${installAppConfigs.path}/{version_id}/diff`,
  rule: { surface: "control-plane", permission: "installs.read", ownPermit: true },
  tags: ["Installs"],
  summary: "Compare a config that an install had with the one before",
  description:
    "Without one before, all is added. What else differs: `GET /v1/apps/{app_id}/configs/{app_config_id}/diff`.",
  responses: {
    200: json(diffSchema, "Components, and whether the sandbox and the stack differ."),
  },
});

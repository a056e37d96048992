import { createRoute } from "./create-route.ts";
import { installConfigInput, installConfigs } from "./install-config.ts";
import { json } from "./response.ts";

const { itemSchema, path } = installConfigs;
const tags = ["Installs"];
const writing = { surface: "control-plane", permission: "installs.write" } as const;

export const createInstallConfigRoute = createRoute("createInstallConfig", {
  post: path,
  rule: { ...writing, idempotent: "replay" },
  tags,
  summary: "Create the next config of an install",
  description:
    "Members that are missing or null follow the app's config. 422 `unknown_component` and `not_toggleable` for components that cannot be switched.",
  body: installConfigInput,
  responses: { 201: json(itemSchema, "The config.") },
});

export const changeInstallConfigRoute = createRoute("updateInstallConfig", {
  patch: `${path}/{install_config_id}`,
  rule: { ...writing, ifMatch: true },
  tags,
  summary: "Change the current config of an install",
  description:
    "Members that are missing stay; null follows the app's config. With If-Match, 412 if it has changed in the meantime. 409 `config_replaced` if it is no longer the current one.",
  body: installConfigInput,
  responses: { 201: json(itemSchema, "The config.") },
});

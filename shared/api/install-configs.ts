import { createRoute } from "./create-route.ts";
import { installConfigInput, installConfigs } from "./install-config.ts";
import { installs } from "./install.ts";
import { json, jsonBody } from "./response.ts";

const { itemSchema, params, path } = installConfigs;
const tags = ["Installs"];
const writing = { surface: "control-plane", permission: "installs.write" } as const;

export const createInstallConfigRoute = createRoute({
  operationId: "createInstallConfig",
  rule: { ...writing, idempotent: "replay" },
  method: "post",
  path,
  tags,
  summary: "Create the next config of an install",
  description:
    "Members that are missing or null follow the app's config. 422 `unknown_component` and `not_toggleable` for components that cannot be switched.",
  request: { params: installs.params, body: jsonBody(installConfigInput) },
  responses: { 201: json(itemSchema, "The config.") },
});

export const changeInstallConfigRoute = createRoute({
  operationId: "updateInstallConfig",
  rule: writing,
  method: "patch",
  path: `${path}/{install_config_id}`,
  tags,
  summary: "Change the current config of an install",
  description:
    "Members that are missing stay; null follows the app's config. With If-Match, 412 if it has changed in the meantime. 409 `config_replaced` if it is no longer the current one.",
  request: { params, body: jsonBody(installConfigInput) },
  responses: { 200: json(itemSchema, "The config.") },
});

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
  summary: "Put another config of an install in force",
  description:
    "What is not given, or null, is as the app says. 422 `unknown_component` and `not_toggleable` for components that cannot be switched.",
  request: { params: installs.params, body: jsonBody(installConfigInput) },
  responses: { 201: json(itemSchema, "The config.") },
});

export const changeInstallConfigRoute = createRoute({
  operationId: "updateInstallConfig",
  rule: writing,
  method: "patch",
  path: `${path}/{install_config_id}`,
  tags,
  summary: "Change the config of an install that is in force",
  description:
    "What is not given stays; null is as the app says. With If-Match, 412 when it was changed meanwhile. 409 `config_replaced` for one that is not in force any more.",
  request: { params, body: jsonBody(installConfigInput) },
  responses: { 200: json(itemSchema, "The config.") },
});

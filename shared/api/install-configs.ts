import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import {
  installConfigInput,
  installConfigParams as params,
  installConfigSchema,
} from "./install-config.ts";
import { installs } from "./install.ts";
import { labelsQuery } from "./label-keys.ts";
import { createdQuery, listingDescription, listingOf, listingQuery } from "./listing.ts";
import { json, jsonBody } from "./response.ts";

const tags = ["Installs"];
const path = "/v1/installs/{install_id}/configs";
const onePath = `${path}/{install_config_id}` as const;
const reading = { surface: "control-plane", permission: "installs.read" } as const;
const writing = { surface: "control-plane", permission: "installs.write" } as const;

export const listInstallConfigsRoute = createRoute({
  operationId: "listInstallConfigs",
  rule: reading,
  method: "get",
  path,
  tags,
  summary: "List the configs of an install",
  description: `The first is in force; 100 are kept. ${listingDescription}`,
  request: {
    params: installs.params,
    query: z.object({ ...listingQuery, labels: labelsQuery, ...createdQuery }),
  },
  responses: { 200: json(listingOf(installConfigSchema), "Configs.") },
});

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
  responses: { 201: json(installConfigSchema, "The config.") },
});

export const getInstallConfigRoute = createRoute({
  operationId: "getInstallConfig",
  rule: reading,
  method: "get",
  path: onePath,
  tags,
  summary: "Read a config of an install",
  request: { params },
  responses: { 200: json(installConfigSchema, "The config.") },
});

export const changeInstallConfigRoute = createRoute({
  operationId: "updateInstallConfig",
  rule: writing,
  method: "patch",
  path: onePath,
  tags,
  summary: "Change the config of an install that is in force",
  description:
    "What is not given stays; null is as the app says. With If-Match, 412 when it was changed meanwhile. 409 `config_replaced` for one that is not in force any more.",
  request: { params, body: jsonBody(installConfigInput) },
  responses: { 200: json(installConfigSchema, "The config.") },
});

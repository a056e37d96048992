import { z } from "@hono/zod-openapi";
import { appChangesSchema, appParams as params, appSchema, newAppSchema } from "./app.ts";
import { createRoute } from "./create-route.ts";
import { labelsQuery } from "./label-keys.ts";
import { createdQuery, listingDescription, listingOf, listingQuery } from "./listing.ts";
import { json, jsonBody } from "./response.ts";

const tags = ["Apps"];
const path = "/v1/apps/{app_id}";
const reading = { surface: "control-plane", permission: "apps.read" } as const;
const writing = { surface: "control-plane", permission: "apps.write" } as const;

export const createAppRoute = createRoute({
  operationId: "createApp",
  rule: { ...writing, idempotent: "replay" },
  method: "post",
  path: "/v1/apps",
  tags,
  summary: "Create an app",
  description:
    "200 for an app of this name that says the same of itself, 409 `name_taken` for another, 409 `too_many_apps` for the org's 1,001st.",
  request: { body: jsonBody(newAppSchema) },
  responses: { 201: json(appSchema, "The app."), 200: json(appSchema, "The app that was there.") },
});

export const listAppsRoute = createRoute({
  operationId: "listApps",
  rule: { ...reading, bound: true },
  method: "get",
  path: "/v1/apps",
  tags,
  summary: "List apps",
  description: listingDescription,
  request: {
    query: z.object({
      ...listingQuery,
      name: z.string().max(63).optional().describe("Only the app of this name."),
      q: z
        .string()
        .max(100)
        .optional()
        .describe("Only apps whose name or display name has this in it."),
      labels: labelsQuery.describe(
        "Only apps that give their installs these labels: `k:v,k2=v2,k3`; without a value, or with `*`, the key exists.",
      ),
      ...createdQuery,
    }),
  },
  responses: { 200: json(listingOf(appSchema), "Apps.") },
});

export const getAppRoute = createRoute({
  operationId: "getApp",
  rule: reading,
  method: "get",
  path,
  tags,
  summary: "Read an app",
  request: { params },
  responses: { 200: json(appSchema, "The app.") },
});

export const updateAppRoute = createRoute({
  operationId: "updateApp",
  rule: writing,
  method: "patch",
  path,
  tags,
  summary: "Change an app",
  description:
    "With `If-Match`, only if its version is that one: else 412. 409 `name_taken`. What the active config says of the app comes again with the next one.",
  request: { params, body: jsonBody(appChangesSchema) },
  responses: { 200: json(appSchema, "The app.") },
});

export const deleteAppRoute = createRoute({
  operationId: "deleteApp",
  rule: writing,
  method: "delete",
  path,
  tags,
  summary: "Delete an app",
  description: "409 `app_has_installs` with their `install_ids`.",
  request: { params },
  responses: { 204: { description: "It was deleted." } },
});

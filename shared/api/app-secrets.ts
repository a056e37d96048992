import { z } from "@hono/zod-openapi";
import { appParams, nameShape } from "./app.ts";
import { createRoute } from "./create-route.ts";
import { idParam } from "./id-param.ts";
import { createdQuery, listingDescription, listingOf, listingQuery } from "./listing.ts";
import { json, jsonBody } from "./response.ts";

const tags = ["Apps"];
const path = "/v1/apps/{app_id}/secrets";
const writing = { surface: "control-plane", permission: "apps.write" } as const;

const newAppSecretSchema = z
  .strictObject({
    name: nameShape.describe("Unique in the app, where `-` and `_` are equal."),
    value: z.string().min(1).max(65_536).describe("Sealed, and never shown again."),
  })
  .openapi("NewAppSecret", { example: { name: "license_key", value: "…" } });
export type NewAppSecret = z.infer<typeof newAppSecretSchema>;

const members = {
  id: z.string(),
  org_id: z.string(),
  app_id: z.string(),
  name: z.string(),
  length: z.int().describe("Of the value, in characters."),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime().describe("When its value was set."),
  created_by_id: z.string(),
};
const appSecretSchema = z.object(members).openapi("AppSecret");
export type AppSecret = z.infer<typeof appSecretSchema>;

const setAppSecretSchema = z
  .object({ ...members, replaced: z.boolean().describe("Whether the app had one of this name.") })
  .openapi("SetAppSecret");

export const listAppSecretsRoute = createRoute({
  operationId: "listAppSecrets",
  rule: { surface: "control-plane", permission: "apps.read" },
  method: "get",
  path,
  tags,
  summary: "List an app's secrets, without their values",
  description: listingDescription,
  request: {
    params: appParams,
    query: z.object({
      ...listingQuery,
      ...createdQuery,
      name: z.string().max(63).optional().describe("Only the secret of this name."),
    }),
  },
  responses: { 200: json(listingOf(appSecretSchema), "Secrets.") },
});

export const setAppSecretRoute = createRoute({
  operationId: "setAppSecret",
  rule: { ...writing, idempotent: "replay" },
  method: "post",
  path,
  tags,
  summary: "Set a secret of an app",
  description:
    "The value is sealed and cannot be read back. One of the same name is replaced: 200 with `replaced`. 409 `too_many_secrets` for the app's 501st.",
  request: { params: appParams, body: jsonBody(newAppSecretSchema) },
  responses: {
    201: json(setAppSecretSchema, "The new secret."),
    200: json(setAppSecretSchema, "The secret, whose value is another now."),
  },
});

export const deleteAppSecretRoute = createRoute({
  operationId: "deleteAppSecret",
  rule: writing,
  method: "delete",
  path: `${path}/{secret_id}`,
  tags,
  summary: "Delete a secret of an app, and its value",
  request: { params: appParams.extend({ secret_id: idParam("secret_id", "sec") }) },
  responses: { 204: { description: "It was deleted." } },
});

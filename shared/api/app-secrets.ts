import { z } from "@hono/zod-openapi";
import { created, named } from "../resources/filters.ts";
import { instant, int, made, owned, text } from "../resources/members.ts";
import { type ItemOf, resource } from "../resources/resource.ts";
import { appParams, nameShape } from "./app.ts";
import { createRoute } from "./create-route.ts";
import { json, jsonBody } from "./response.ts";

export const appSecrets = resource({
  noun: "app secret",
  plural: "secrets",
  schema: "AppSecret",
  tag: "Apps",
  prefix: "sec",
  param: "secret_id",
  path: "/v1/apps/{app_id}/secrets",
  under: ["app"],
  surface: "control-plane",
  read: "apps.read",
  opens: ["list"],
  bound: "path",
  says: { list: "List an app's secrets, without their values" },
  members: {
    ...owned,
    app_id: text(),
    name: text(),
    length: int("Of the value, in characters."),
    created_at: made.created_at,
    updated_at: instant("When its value was set."),
    created_by_id: made.created_by_id,
  },
  filters: { ...created, name: named("name", "Only the secret of this name.") },
});
export type AppSecret = ItemOf<typeof appSecrets>;

const tags = ["Apps"];
const writing = { surface: "control-plane", permission: "apps.write" } as const;

const newAppSecretSchema = z
  .strictObject({
    name: nameShape.describe("Unique in the app, where `-` and `_` are equal."),
    value: z.string().min(1).max(65_536).describe("Sealed, and never shown again."),
  })
  .openapi("NewAppSecret", { example: { name: "license_key", value: "…" } });
export type NewAppSecret = z.infer<typeof newAppSecretSchema>;

const setAppSecretSchema = z
  .object({
    ...appSecrets.itemSchema.shape,
    replaced: z.boolean().describe("Whether the app had one of this name."),
  })
  .openapi("SetAppSecret");

export const setAppSecretRoute = createRoute({
  operationId: "setAppSecret",
  rule: { ...writing, idempotent: "replay" },
  method: "post",
  path: appSecrets.path,
  tags,
  summary: "Set a secret of an app",
  description:
    "The value is sealed and cannot be read back. One of the same name is replaced: 200 with `replaced`. 409 `too_many_secrets` for the app's 501st.",
  request: { params: appParams, body: jsonBody(newAppSecretSchema) },
  responses: {
    201: json(setAppSecretSchema, "The new secret."),
    200: json(setAppSecretSchema, "The secret, with its new value."),
  },
});

export const deleteAppSecretRoute = createRoute({
  operationId: "deleteAppSecret",
  rule: writing,
  method: "delete",
  path: `${appSecrets.path}/{secret_id}`,
  tags,
  summary: "Delete a secret of an app, and its value",
  request: { params: appSecrets.params },
  responses: { 204: { description: "It was deleted." } },
});

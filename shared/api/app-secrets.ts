import { z } from "@hono/zod-openapi";
import { created, named } from "../resources/filters.ts";
import { instant, int, made, owned, text } from "../resources/members.ts";
import { type ItemOf, resource } from "../resources/resource.ts";
import { nameShape } from "./app.ts";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";

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

export const setAppSecretRoute = createRoute("setAppSecret", {
  post: appSecrets.path,
  rule: { ...writing, idempotent: "replay" },
  tags,
  summary: "Set a secret of an app",
  description:
    "The value is sealed and cannot be read back. One of the same name is replaced (`replaced`, `Idempotent-Replayed`). 409 `too_many_secrets` for the app's 501st.",
  body: newAppSecretSchema,
  responses: { 201: json(setAppSecretSchema, "The secret.") },
});

export const deleteAppSecretRoute = createRoute("deleteAppSecret", {
  delete: `${appSecrets.path}/{secret_id}`,
  rule: writing,
  tags,
  summary: "Delete a secret of an app, and its value",
  responses: { 200: json(appSecrets.itemSchema, "The secret, as it was.") },
});

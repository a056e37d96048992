import { appChangesSchema, apps, newAppSchema } from "./app.ts";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";

const tags = ["Apps"];
const path = "/v1/apps/{app_id}";
const writing = { surface: "control-plane", permission: "apps.write" } as const;

export const createAppRoute = createRoute("createApp", {
  post: apps.path,
  rule: { ...writing, idempotent: "replay" },
  tags,
  summary: "Create an app",
  description:
    "An app of this name that has the same members is answered as it is (`Idempotent-Replayed`), 409 `name_taken` if its members differ, 409 `too_many_apps` for the org's 1,001st.",
  body: newAppSchema,
  responses: { 201: json(apps.itemSchema, "The app.") },
});

export const updateAppRoute = createRoute("updateApp", {
  patch: path,
  rule: { ...writing, ifMatch: true },
  tags,
  summary: "Change an app",
  description:
    "With `If-Match`, only if its version is that one: else 412. 409 `name_taken`. The next config sets these members again.",
  body: appChangesSchema,
  responses: { 200: json(apps.itemSchema, "The app.") },
});

export const deleteAppRoute = createRoute("deleteApp", {
  delete: path,
  rule: writing,
  tags,
  summary: "Delete an app",
  description: "409 `app_has_installs` with their `install_ids`.",
  responses: { 200: json(apps.itemSchema, "The app, as it was.") },
});

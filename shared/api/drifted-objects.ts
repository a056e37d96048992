import { z } from "@hono/zod-openapi";
import { instant, int, orAbsent, owned, text, word } from "../resources/members.ts";
import { type ItemOf, resource } from "../resources/resource.ts";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";

export const driftedObjects = resource({
  noun: "drifted object",
  plural: "what differs",
  schema: "DriftedObject",
  tag: "Deploys",
  prefix: "icm",
  param: "install_component_id",
  path: "/v1/installs/{install_id}/drifted-objects",
  under: ["install"],
  surface: "control-plane",
  read: "installs.read",
  opens: [],
  bound: "path",
  members: {
    ...owned,
    install_id: text(),
    target_type: word(["install_deploys", "install_sandbox_runs"]),
    target_id: text("The deploy or run that looked."),
    install_workflow_id: text(),
    component_name: text("Empty of the sandbox."),
    install_component_id: orAbsent(text()),
    install_sandbox_id: orAbsent(text()),
    component_build_id: orAbsent(text("The build that is deployed.")),
    app_sandbox_config_id: orAbsent(text("Of the sandbox: the config by which it is deployed.")),
    added: int(),
    changed: int(),
    replaced: int(),
    removed: int(),
    seen_at: instant(),
  },
  filters: {},
});
export type DriftedObject = ItemOf<typeof driftedObjects>;

export const listDriftedObjectsRoute = createRoute("listDriftedObjects", {
  get: "/v1/installs/{install_id}/drifted-objects",
  rule: { surface: "control-plane", permission: "installs.read" },
  tags: ["Deploys"],
  summary: "List what has drifted in an install",
  description: "Components, and the sandbox, of which the last look found that they differ.",
  responses: { 200: json(z.array(driftedObjects.itemSchema), "What differs.") },
});

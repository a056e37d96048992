import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";

/** What is written down of a workspace. */
export const workspaceEventKinds = [
  "locked",
  "unlocked",
  "force-unlocked",
  "blocked",
  "unblocked",
  "rolled-back",
  "state-deleted",
  "deleted",
  "restored",
  "state-rescued",
  "rescued-state-pushed",
  "rescued-state-discarded",
] as const;

const workspaceEventSchema = z
  .object({
    kind: z.enum(workspaceEventKinds),
    actor_id: z.string(),
    reason: z.string(),
    info: z.record(z.string(), z.unknown()),
    at: z.iso.datetime(),
  })
  .openapi("TerraformWorkspaceEvent");
export type WorkspaceEvent = z.infer<typeof workspaceEventSchema>;

export const listWorkspaceEventsRoute = createRoute("listTerraformWorkspaceEvents", {
  get: "/v1/terraform-workspaces/{workspace_id}/events",
  rule: { surface: "operator", permission: "state.read" },
  tags: ["Terraform workspaces"],
  summary: "List the events of a workspace, newest first",
  responses: { 200: json(z.array(workspaceEventSchema), "The last hundred.") },
});

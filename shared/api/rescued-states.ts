import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";
import { workspaceSchema } from "./terraform-workspaces.ts";

const tags = ["Terraform workspaces"];
const path = "/v1/terraform-workspaces/{workspace_id}/rescued-states";
const reason = z.string().trim().min(1).max(2000).describe("The reason; it is stored.");
const bytes = { "application/octet-stream": { schema: z.string().openapi({ format: "binary" }) } };

export const rescuedStateSchema = z
  .object({
    id: z.string().describe("Its id as a revision, too, when it becomes one."),
    org_id: z.string(),
    terraform_workspace_id: z.string(),
    serial: z.int().nullable().describe("Null for a state of Pulumi's."),
    lineage: z.string().nullable(),
    terraform_version: z.string(),
    size_bytes: z.int(),
    runner_job_id: z.string().nullable().describe("The job that could not write it."),
    created_at: z.iso.datetime(),
    created_by_id: z.string(),
  })
  .openapi("TerraformRescuedState");
export type RescuedState = z.infer<typeof rescuedStateSchema>;

/** What waits at the most until an operator has looked into it: of one job, and for a workspace. */
export const mostRescued = { states: 20, jobMib: 256, workspaceMib: 1024 } as const;

export const rescueStateRoute = createRoute("rescueTerraformState", {
  post: path,
  rule: {
    surface: "runner",
    permission: "state.write",
    ownRunner: true,
    maxBody: "64 MiB",
    streamed: true,
    ownPermit: true,
  },
  tags: ["Terraform state"],
  summary: "Store a state that Terraform could not write",
  description:
    `The bytes of terraform's errored.tfstate, at most 64 MiB. It changes no revision, and blocks the workspace while its job lives and ` +
    `for ten minutes after. A runner's token needs the \`job_id\` of a job of its own that names the workspace and ended in the last 30 days. The same ` +
    `bytes are kept once. At most ${mostRescued.states} of a job wait, of ${mostRescued.jobMib} MiB, and ${mostRescued.workspaceMib} MiB for a workspace; the next ` +
    "one is refused (409) and none is taken away for it. An org has a bound, too (SVC_RESCUED_STATES_ORG_MIB).",
  query: z.object({ job_id: z.string().max(64).optional().describe("The job that made it.") }),
  body: { content: bytes },
  responses: {
    201: json(rescuedStateSchema, "The state is stored."),
    204: { description: "It is already the current state." },
  },
});

export const listRescuedStatesRoute = createRoute("listTerraformRescuedStates", {
  get: path,
  rule: { surface: "operator", permission: "state.read" },
  tags,
  summary: "List the states that could not be written, the newest first",
  responses: { 200: json(z.array(rescuedStateSchema), "Those that wait.") },
});

export const getRescuedStateContentsRoute = createRoute("getTerraformRescuedStateContents", {
  get: `${path}/{rescued_id}/contents`,
  rule: { surface: "operator", permission: "state.write", audit: "secrets" },
  tags,
  summary: "Read a rescued state, byte for byte",
  description: "A state holds secrets, so this needs the permission to write.",
  responses: {
    200: { description: "The state.", content: { "application/json": { schema: z.unknown() } } },
  },
});

export const pushRescuedStateRoute = createRoute("pushTerraformRescuedState", {
  post: `${path}/{rescued_id}/push`,
  rule: { surface: "operator", permission: "state.write" },
  tags,
  summary: "Make a rescued state the current state and lift its block",
  description:
    "As a new revision under the same id. The rules of every write hold: 409 for an older serial, another lineage, the same serial with " +
    "other bytes; 423 while the workspace is locked. Nothing is forced. Only the block of this job's lost state is lifted.",
  body: z.strictObject({ reason }),
  responses: { 200: json(workspaceSchema, "The workspace.") },
});

export const discardRescuedStateRoute = createRoute("discardTerraformRescuedState", {
  delete: `${path}/{rescued_id}`,
  rule: { surface: "operator", permission: "state.write" },
  tags,
  summary: "Discard a rescued state",
  query: z.object({ reason: reason.optional() }),
  responses: { 204: { description: "The rescued state was discarded. A block stays." } },
});

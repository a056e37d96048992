import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { cutText } from "./cut-text.ts";
import { json } from "./response.ts";
import { terraformLockInput, terraformLockSchema } from "./terraform-lock.ts";

const tags = ["Terraform state"];
const signIn =
  "The token may also be sent as the password of HTTP Basic or as `?token=`. A runner or job token gives access to the workspace " +
  "that the plan of its own job names, while that execution lives and for ten minutes after.";
const anyJob = z.string().max(64).optional().describe("The job that works on it.");
const lockId = z.string().max(200).optional();
const workspaceQuery = z.object({
  workspace_id: z.string().max(64).describe("The id of a workspace."),
  job_id: anyJob,
  ID: lockId.describe("The id of the lock that is held."),
});
const bytes = { "application/octet-stream": { schema: z.string().openapi({ format: "binary" }) } };
const anyJson = { "application/json": { schema: z.unknown() } };
const text = { "application/octet-stream": { schema: z.string().openapi({ format: "binary" }) } };

export const getTerraformStateRoute = createRoute("getTerraformState", {
  get: "/v1/terraform-backend",
  rule: { surface: "runner", permission: "state.write", ownRunner: true, stateToken: true },
  tags,
  summary: "Read the current state",
  description: signIn,
  query: workspaceQuery,
  responses: {
    200: { description: "The state, byte for byte.", content: anyJson },
    204: { description: "There is none." },
  },
});

export const writeTerraformStateRoute = createRoute("writeTerraformState", {
  post: "/v1/terraform-backend",
  rule: {
    surface: "runner",
    permission: "state.write",
    ownRunner: true,
    stateToken: true,
    maxBody: "64 MiB",
    streamed: true,
    ownPermit: true,
  },
  tags,
  summary: "Write the next state",
  description:
    `${signIn}\n\nNeeds the lock's id as \`ID\`: 423 with the holder's lock info, or 409 when nothing is locked. 409 for an ` +
    "older serial, another lineage, or the same serial with other bytes; the same bytes again change nothing. " +
    "`Content-MD5` is checked. At most 64 MiB.",
  query: workspaceQuery,
  body: { content: text },
  responses: { 200: { description: "The state was stored." } },
});

export const deleteTerraformStateRoute = createRoute("deleteTerraformState", {
  delete: "/v1/terraform-backend",
  rule: { surface: "runner", permission: "state.write", ownRunner: true, stateToken: true },
  tags,
  summary: "Delete the current state",
  description:
    `${signIn}\n\nRevisions are kept. 423 while someone else holds the lock or the workspace is blocked. A runner or job token ` +
    "needs the lock's id as `ID`, else 409.",
  query: workspaceQuery.extend({
    reason: cutText(2000).optional().describe("Why; it is stored."),
  }),
  responses: { 200: { description: "The workspace has no state now." } },
});

export const lockTerraformWorkspaceRoute = createRoute("lockTerraformWorkspace", {
  post: "/v1/terraform-workspaces/{workspace_id}/lock",
  rule: { surface: "runner", permission: "state.write", ownRunner: true, stateToken: true },
  tags,
  summary: "Lock a workspace",
  description: `${signIn}\n\n423 with the holder's lock info. Repeating the same lock answers 200 again.`,
  query: z.object({ job_id: anyJob }),
  body: terraformLockInput,
  responses: { 200: json(terraformLockSchema, "The lock.") },
});

export const unlockTerraformWorkspaceRoute = createRoute("unlockTerraformWorkspace", {
  post: "/v1/terraform-workspaces/{workspace_id}/unlock",
  rule: { surface: "runner", permission: "state.write", ownRunner: true, stateToken: true },
  tags,
  summary: "Unlock a workspace",
  description:
    `${signIn}\n\nWith the holder's id; of an unlocked workspace 200, too. Without an id, or with an empty one, it takes the lock away, which a ` +
    "runner's token may not: 423.",
  query: z.object({ job_id: anyJob, ID: lockId.describe("The id of the lock to remove.") }),
  body: terraformLockInput,
  responses: {
    200: json(terraformLockSchema.partial(), "The lock that was removed, if there was one."),
  },
});

export const writeStateJsonRoute = createRoute("writeTerraformStateJson", {
  post: "/v1/terraform-workspaces/{workspace_id}/state-json",
  rule: {
    surface: "runner",
    permission: "state.write",
    ownRunner: true,
    stateToken: true,
    maxBody: "64 MiB",
    streamed: true,
    ownPermit: true,
  },
  tags,
  summary: "Store the output of terraform show -json",
  description: `${signIn}\n\nJSON, or a JSON string of it in base64. The last one is kept.`,
  query: z.object({ job_id: anyJob }),
  body: { content: text },
  responses: { 200: { description: "The state was stored." } },
});

export const getPulumiStateRoute = createRoute("getPulumiState", {
  get: "/v1/runners/pulumi-state/{workspace_id}",
  rule: { surface: "runner", permission: "state.write", ownRunner: true, stateToken: true },
  tags,
  summary: "Read a Pulumi state",
  description: `${signIn}\n\n\`ETag\` has the revision, \`"0"\` where there is none.`,
  query: z.object({ job_id: anyJob }),
  responses: {
    200: { description: "The state, byte for byte.", content: bytes },
    204: { description: "There is none." },
  },
});

export const writePulumiStateRoute = createRoute("writePulumiState", {
  post: "/v1/runners/pulumi-state/{workspace_id}",
  rule: {
    surface: "runner",
    permission: "state.write",
    ownRunner: true,
    stateToken: true,
    maxBody: "64 MiB",
    streamed: true,
    ownPermit: true,
  },
  tags,
  summary: "Write a Pulumi state",
  description:
    `${signIn}\n\nAny bytes, at most 64 MiB. Each write is a new revision; the same bytes again change nothing. The workspace is held for the first job ` +
    "that changes it, from its claim until it has ended and stopped: another's write is 409. 423 while somebody else's lock is held or it is " +
    "blocked, 409 over a state of terraform's. With `If-Match`, 412 unless that is the current revision (`\"0\"`: none) or all since are this job's. " +
    "What a job sends and is refused so (409 held, 412, 423) is kept as a rescued state.",
  query: z.object({ job_id: anyJob }),
  body: { content: bytes },
  responses: { 200: { description: "The state was stored." } },
});

const keys = z
  .object({
    revision: z.int().describe("The current revision of the state; 0: there is none."),
    passphrase: z.string().describe("Encrypts the secrets in the state and in plans."),
  })
  .openapi("PulumiStateKeys");
export type PulumiStateKeys = z.infer<typeof keys>;

export const openPulumiStateRoute = createRoute("openPulumiState", {
  post: "/v1/runners/pulumi-state/{workspace_id}/open",
  rule: { surface: "runner", permission: "state.write", ownRunner: true },
  tags,
  summary: "Open a Pulumi state",
  description:
    "The revision to name in If-Match, and the passphrase of the workspace: the broker makes one when it is asked for first, and keeps it " +
    "sealed. A runner or job token reaches the workspaces that plans of its own jobs name for Pulumi. It is ours.",
  query: z.object({ job_id: anyJob }),
  responses: { 200: json(keys, "What a job of Pulumi needs besides the state.") },
});

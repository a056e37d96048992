import { z } from "@hono/zod-openapi";
import { runnerJobStatuses } from "../runner-job.ts";
import { createRoute } from "./create-route.ts";
import { pageOrArrayOf, pageQuery } from "./page.ts";
import { json } from "./response.ts";
import { shownLockSchema } from "./terraform-lock.ts";
import { inTwoShapes, twoShapesText } from "./two-shapes.ts";

const tags = ["Terraform workspaces"];
const path = "/v1/terraform-workspaces/{workspace_id}";
const reason = z.string().trim().min(1).max(2000).describe("The reason; it is stored.");
const kind = z
  .string()
  .regex(
    /^[a-z][a-z0-9_]{0,39}$/,
    "Must begin with a small letter; then small letters, digits and _, 40 in all at most.",
  )
  .default("by_hand")
  .describe("A code for programs, such as `killed_dirty`.");
const instant = z.iso.datetime();

/** As far as the database counts. */
export const maxRevision = 2_147_483_647;

export const workspaceLockSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    workspace_id: z.string(),
    runner_job_id: z.string().nullable(),
    runner_job_status: z
      .enum(runnerJobStatuses)
      .nullable()
      .describe("Of the job that holds it. A job that has ended cannot take another lock."),
    lock: shownLockSchema,
    created_at: instant,
    created_by_id: z.string(),
  })
  .openapi("TerraformWorkspaceLock");

export const workspaceStateSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    terraform_workspace_id: z.string(),
    revision: z.int(),
    is_current: z.boolean(),
    serial: z.int().nullable(),
    lineage: z.string().nullable(),
    terraform_version: z.string(),
    size_bytes: z.int(),
    rolled_back_from: z.int().nullable().describe("The revision whose contents these are."),
    runner_job_id: z.string().nullable(),
    created_at: instant,
    created_by_id: z.string(),
  })
  .openapi("TerraformWorkspaceState");
export type WorkspaceState = z.infer<typeof workspaceStateSchema>;

export const workspaceSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    owner_id: z.string(),
    owner_type: z.string(),
    revision: z.int().describe("The last that was written; 0: none."),
    lock: z.union([workspaceLockSchema, z.null()]),
    state: z.union([workspaceStateSchema, z.null()]).describe("The current one."),
    block: z
      .object({
        reason: z.string(),
        kind: z
          .string()
          .describe("`by_hand`, what the job said, or `lost`, `timed_out`, `forced`, `cancelled`."),
        runner_job_id: z.string().nullable().describe("The job that needs attention."),
        blocked_by_id: z.string().describe("`broker` if the broker set it automatically."),
        blocked_at: instant,
      })
      .nullable()
      .describe("While it is set, no one can get a lock."),
    deleted_at: instant
      .nullable()
      .describe("When it was deleted; it can be restored for some days."),
    created_at: instant,
    updated_at: instant,
    created_by_id: z.string(),
  })
  .openapi("TerraformWorkspace");
export type Workspace = z.infer<typeof workspaceSchema>;
const workspaceAlone = inTwoShapes(workspaceSchema, z.array(workspaceSchema));

const owner = { owner_id: z.string().max(200), owner_type: z.string().max(200) };

export const createWorkspaceRoute = createRoute("createTerraformWorkspace", {
  post: "/v1/terraform-workspaces",
  rule: { surface: "control-plane", permission: "jobs.write", idempotent: "replay", bound: true },
  tags,
  summary: "Create a workspace",
  body: z.strictObject({
    owner_id: owner.owner_id.default(""),
    owner_type: owner.owner_type.default(""),
  }),
  responses: { 201: json(workspaceSchema, "The workspace.") },
});

export const listWorkspacesRoute = createRoute("listTerraformWorkspaces", {
  get: "/v1/terraform-workspaces",
  rule: { surface: "operator", permission: "state.read", bound: true },
  tags,
  summary: "List workspaces, the newest first",
  query: z.object({
    ...pageQuery,
    owner_id: owner.owner_id.optional().describe("Only workspaces of this owner."),
    locked: z.enum(["true", "false"]).optional().describe("Those that are locked, or not."),
    blocked: z.enum(["true", "false"]).optional().describe("Those that are blocked, or not."),
    deleted: z.enum(["true", "false"]).optional().describe("Those that can be restored."),
  }),
  responses: { 200: json(pageOrArrayOf(workspaceSchema), "A page of workspaces.") },
});

export const getWorkspaceRoute = createRoute("getTerraformWorkspace", {
  get: path,
  rule: { surface: "operator", permission: "state.read" },
  tags,
  summary: "Read a workspace",
  description: twoShapesText,
  responses: { 200: json(workspaceAlone, "The workspace, or a list of it alone.") },
});

export const deleteWorkspaceRoute = createRoute("deleteTerraformWorkspace", {
  delete: path,
  rule: { surface: "operator", permission: "state.write" },
  tags,
  summary: "Delete a workspace with all revisions of its state",
  description: `423 while it is locked or blocked. It can be restored for some days (SVC_RETAIN_DELETED_WORKSPACES_DAYS). ${twoShapesText}`,
  query: z.object({ reason: reason.optional() }),
  responses: { 200: json(workspaceAlone, "The workspace as it was, or a list of it alone.") },
});

export const restoreWorkspaceRoute = createRoute("restoreTerraformWorkspace", {
  post: `${path}/restore`,
  rule: { surface: "operator", permission: "state.write" },
  tags,
  summary: "Restore a deleted workspace",
  description: "404 after the retention time. A workspace that was not deleted does not change.",
  body: z.strictObject({ reason }),
  responses: { 200: json(workspaceSchema, "The workspace.") },
});

export const getWorkspaceLockRoute = createRoute("getTerraformWorkspaceLock", {
  get: `${path}/lock`,
  rule: { surface: "operator", permission: "state.read", ownRunner: true },
  tags,
  summary: "Read the lock of a workspace",
  responses: { 200: json(workspaceLockSchema, "The lock; 404 when there is none.") },
});

export const forceUnlockRoute = createRoute("forceUnlockTerraformWorkspace", {
  post: `${path}/force-unlock`,
  rule: { surface: "operator", permission: "state.write" },
  tags,
  summary: "Remove a workspace's lock by force",
  description:
    "409 `lock_in_use` while the job that holds it is in progress, or has ended and may still be stopping: cancel it, and wait until " +
    "its process has confirmed that it stopped. With `force` such a lock is removed as well. Use it only when you know that nothing writes any more, for example because the host is gone; otherwise the state could be damaged.",
  body: z.strictObject({
    reason,
    force: z.boolean().default(false).describe("Remove it although its job may still be writing."),
  }),
  responses: { 200: json(workspaceSchema, "The workspace.") },
});

export const blockWorkspaceRoute = createRoute("blockTerraformWorkspace", {
  post: `${path}/block`,
  rule: { surface: "operator", permission: "state.write", ownRunner: true },
  tags,
  summary: "Block a workspace",
  description:
    "Writes without a lock and deletions are refused, too. The holder of the lock may still save the state, and an operator may roll back. A job may block its own workspace, while it lives and for ten minutes after. The broker blocks the " +
    "workspace of an execution of `apply-plan` or `exec` that fails while it holds the lock, or whose result " +
    "says `state_push_failed`, `killed_dirty` or `interrupted` as the `class` of its `error_metadata`. Neither replaces a block that stands.",
  body: z.strictObject({ reason, kind }),
  responses: { 200: json(workspaceSchema, "The workspace.") },
});

export const unblockWorkspaceRoute = createRoute("unblockTerraformWorkspace", {
  post: `${path}/unblock`,
  rule: { surface: "operator", permission: "state.write" },
  tags,
  summary: "Unblock a workspace",
  description:
    "The lock of the job that the block is about is released with it, if that job is final and has stopped. Any other " +
    "lock stays: see `force-unlock`.",
  body: z.strictObject({ reason }),
  responses: { 200: json(workspaceSchema, "The workspace.") },
});

export const rollBackWorkspaceRoute = createRoute("rollBackTerraformWorkspace", {
  post: `${path}/rollback`,
  rule: { surface: "operator", permission: "state.write" },
  tags,
  summary: "Make an older revision the current state",
  description:
    "As a new revision: the old one's bytes with a serial above the current one. 423 while it is locked.",
  body: z.strictObject({ revision: z.int().min(1).max(maxRevision), reason }),
  responses: { 200: json(workspaceSchema, "The workspace.") },
});

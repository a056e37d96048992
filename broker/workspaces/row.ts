import { z } from "zod";
import { workspaceEventKinds } from "../../shared/api/workspace-events.ts";
import type { RunnerJobStatus } from "../../shared/runner-job.ts";

/** A row of `terraform_workspaces`. */
export const workspaceRow = z.object({
  id: z.string(),
  org_id: z.string(),
  owner_id: z.string(),
  owner_type: z.string(),
  revision: z.number(),
  state_id: z.string().nullable(),
  blocked_at: z.date().nullable(),
  blocked_by_id: z.string().nullable(),
  blocked_reason: z.string().nullable(),
  blocked_kind: z.string().nullable(),
  blocked_job_id: z.string().nullable(),
  created_at: z.date(),
  updated_at: z.date(),
  created_by_id: z.string(),
  deleted_at: z.date().nullable(),
});
export type WorkspaceRow = z.infer<typeof workspaceRow>;

/** A row of `terraform_workspace_locks`. */
export const workspaceLockRow = z.object({
  workspace_id: z.string(),
  org_id: z.string(),
  id: z.string(),
  lock_id: z.string(),
  info: z.record(z.string(), z.unknown()),
  runner_job_id: z.string().nullable(),
  execution_id: z.string().nullable(),
  created_at: z.date(),
  created_by_id: z.string(),
});
/** With the status of the job that holds it. */
export type WorkspaceLockRow = z.infer<typeof workspaceLockRow> & {
  readonly job_status: RunnerJobStatus | null;
};

/** A row of `terraform_workspace_states`. */
export const workspaceStateRow = z.object({
  id: z.string(),
  org_id: z.string(),
  workspace_id: z.string(),
  revision: z.number(),
  serial: z.number().nullable(),
  lineage: z.string().nullable(),
  terraform_version: z.string(),
  size_bytes: z.number(),
  parts: z.number(),
  key_id: z.string().nullable(),
  sealed_key: z.instanceof(Buffer),
  fingerprint: z.instanceof(Buffer),
  rolled_back_from: z.number().nullable(),
  runner_job_id: z.string().nullable(),
  created_at: z.date(),
  created_by_id: z.string(),
});
export type WorkspaceStateRow = z.infer<typeof workspaceStateRow>;

/** A row of `terraform_rescued_states`. */
export const rescuedStateRow = workspaceStateRow.omit({
  revision: true,
  rolled_back_from: true,
});
export type RescuedStateRow = z.infer<typeof rescuedStateRow>;

/** The columns that are needed to read a value that is stored in sealed parts. */
export type StoredParts = Pick<
  WorkspaceStateRow,
  "id" | "org_id" | "size_bytes" | "parts" | "key_id" | "sealed_key"
>;

/** A row of `terraform_workspace_events`. */
export const workspaceEventRow = z.object({
  id: z.number(),
  org_id: z.string(),
  workspace_id: z.string(),
  kind: z.enum(workspaceEventKinds),
  actor_id: z.string(),
  reason: z.string(),
  info: z.record(z.string(), z.unknown()),
  at: z.date(),
});
export type WorkspaceEventRow = z.infer<typeof workspaceEventRow>;

import type { z } from "zod";
import {
  type TerraformLock,
  type terraformLockInput,
  terraformLockSchema,
} from "../../shared/api/terraform-lock.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { newId } from "../database/new-id.ts";
import type { Actor } from "../tokens/actor.ts";
import type { Outcome } from "./queries.ts";
import { refusalOf } from "./refuse.ts";
import type { WorkspaceAccess } from "./require-workspace-access.ts";

export type LockInput = z.output<typeof terraformLockInput>;

/**
 * Locks the workspace; the same lock again is returned unchanged. 423 with the holder's lock, or
 * with the reason of a block; 409 for an execution that has ended.
 */
export async function lockWorkspace(
  db: Db,
  actor: Pick<Actor, "id" | "orgId" | "runnerId">,
  { reached, lock }: { readonly reached: WorkspaceAccess; readonly lock: LockInput },
): Promise<TerraformLock> {
  if (lock.ID === undefined) {
    const detail = "Give the lock's id.";
    throw problem.invalid([{ pointer: "#/ID", code: "required", detail }]);
  }
  const row = {
    workspace_id: reached.workspaceId,
    org_id: actor.orgId,
    id: newId("tfl"),
    lock_id: lock.ID,
    info: { ...lock, Created: createdOf(lock) },
    runner_job_id: reached.jobId,
    execution_id: reached.executionId,
    created_by_id: actor.id,
  };
  const isByHand = actor.runnerId === null;
  const [outcome] = await db<Outcome[]>`
    select o.* from lock_workspace(
      jsonb_populate_record(null::terraform_workspace_locks, ${JSON.stringify(row)}::text::jsonb), ${isByHand}) o`;
  if (outcome === undefined) throw new Error("lock_workspace answered nothing");
  const refused = refusalOf(outcome);
  if (refused !== undefined) throw refused;
  return terraformLockSchema.parse(outcome.holder);
}

/** Terraform cannot parse a lock without a valid time. */
function createdOf({ Created: given }: LockInput): string {
  const isInstant =
    given !== undefined && /^\d{4}-\d\d-\d\dT/.test(given) && !Number.isNaN(Date.parse(given));
  return isInstant ? given : new Date().toISOString();
}

/** Unlocks the workspace if this lock holds it or, without a lock id, whichever does; 423 when another lock holds it. */
export async function unlockWorkspace(
  db: Db,
  actor: Pick<Actor, "id" | "orgId" | "runnerId">,
  {
    workspaceId,
    lockId,
    reason,
  }: { readonly workspaceId: string; readonly lockId: string | null; readonly reason: string },
): Promise<Partial<TerraformLock>> {
  const [outcome] = await db<Outcome[]>`
    select o.* from release_workspace(${actor.orgId}, ${workspaceId}, ${lockId}, ${actor.id}, ${reason},
                                      ${actor.runnerId === null}) o`;
  if (outcome === undefined) throw new Error("release_workspace answered nothing");
  const refused = refusalOf(outcome);
  if (refused !== undefined) throw refused;
  return outcome.holder === null ? {} : terraformLockSchema.parse(outcome.holder);
}

/** Removes whichever lock there is; 409 while its job may be writing, unless it is forced. */
export async function breakLock(
  db: Db,
  { id, orgId }: Pick<Actor, "id" | "orgId">,
  asked: { readonly workspaceId: string; readonly reason: string; readonly force: boolean },
): Promise<Partial<TerraformLock>> {
  const [outcome] = await db<Outcome[]>`
    select o.* from break_workspace_lock(${orgId}, ${asked.workspaceId}, ${id}, ${asked.reason}, ${asked.force}) o`;
  if (outcome === undefined) throw new Error("break_workspace_lock answered nothing");
  const refused = refusalOf(outcome);
  if (refused !== undefined) throw refused;
  return outcome.holder === null ? {} : terraformLockSchema.parse(outcome.holder);
}

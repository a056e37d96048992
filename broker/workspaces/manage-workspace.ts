import type { Broker } from "../broker.ts";
import type { Db } from "../database/connect.ts";
import { keyedId } from "../database/keyed-id.ts";
import type { Actor } from "../tokens/actor.ts";
import { requireOwnInstall } from "../tokens/bound/require-within.ts";
import { insertWorkspace, type Outcome } from "./queries.ts";
import { refusalOf } from "./refuse.ts";

type Who = Pick<Actor, "id" | "orgId">;
type Change = { readonly workspaceId: string; readonly reason: string };
/** Its kind is for programs; the job is the one that asked for it, if one did. */
type Block = Change & { readonly kind: string; readonly jobId: string | null };

/** Creates a workspace without a state; answers its id. */
export async function createWorkspace(
  db: Db,
  actor: Pick<Actor, "bound" | "id" | "orgId" | "requestSeed">,
  owner: { readonly owner_id: string; readonly owner_type: string },
): Promise<string> {
  await requireOwnInstall(db, actor, owner);
  const id = keyedId("tfw", actor.requestSeed);
  await insertWorkspace(db, actor.orgId, { id, ...owner, created_by_id: actor.id });
  return id;
}

/** Deletes a workspace; it can be restored for some days. 423 while it is locked or blocked. */
export async function deleteWorkspace(
  db: Db,
  actor: Who,
  { workspaceId, reason }: Change,
): Promise<void> {
  throwIfRefused(
    await db<Outcome[]>`
      select o.* from retire_workspace(${actor.orgId}, ${workspaceId}, ${actor.id}, ${reason}) o`,
  );
}

/** Restores a deleted workspace; 404 when it was deleted too long ago. */
export async function restoreWorkspace(
  { db, config }: Pick<Broker, "db" | "config">,
  actor: Who,
  { workspaceId, reason }: Change,
): Promise<void> {
  throwIfRefused(
    await db<Outcome[]>`
      select o.* from restore_workspace(${actor.orgId}, ${workspaceId}, ${config.retainDeletedWorkspacesDays},
                                        ${actor.id}, ${reason}) o`,
  );
}

/**
 * Blocks the workspace: new locks, deletions and writes without a lock are refused; the lock's holder may still write. A
 * second block replaces the reason.
 */
export async function blockWorkspace(
  db: Db,
  actor: Who,
  { workspaceId, reason, kind, jobId }: Block,
): Promise<void> {
  throwIfRefused(
    await db<Outcome[]>`
      select o.* from hold_back_workspace(${actor.orgId}, ${workspaceId}, ${actor.id}, ${reason}, ${kind},
                                          ${jobId}) o`,
  );
}

/** Lifts a block; a workspace without one stays as it is. */
export async function unblockWorkspace(
  db: Db,
  actor: Who,
  { workspaceId, reason }: Change,
): Promise<void> {
  throwIfRefused(
    await db<Outcome[]>`
      select o.* from unblock_workspace(${actor.orgId}, ${workspaceId}, ${actor.id}, ${reason}) o`,
  );
}

/**
 * Leaves the workspace without a state; its revisions stay. 423 while another caller holds the lock or it is blocked,
 * 409 for a runner that does not hold the lock.
 */
export async function deleteState(
  db: Db,
  actor: Pick<Actor, "id" | "orgId" | "runnerId">,
  { workspaceId, lockId, reason }: Change & { readonly lockId: string | null },
): Promise<void> {
  throwIfRefused(
    await db<Outcome[]>`
      select o.* from drop_terraform_state(${actor.orgId}, ${workspaceId}, ${lockId}, ${actor.runnerId !== null},
                                           ${actor.id}, ${reason}) o`,
  );
}

function throwIfRefused([outcome]: readonly Outcome[]): void {
  if (outcome === undefined) throw new Error("a change of a workspace answered nothing");
  const refused = refusalOf(outcome);
  if (refused !== undefined) throw refused;
}

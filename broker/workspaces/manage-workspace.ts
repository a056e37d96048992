import type { Db } from "../database/connect.ts";
import { newId } from "../database/new-id.ts";
import type { Actor } from "../tokens/actor.ts";
import { insertWorkspace, type Outcome } from "./queries.ts";
import { refusalOf } from "./refuse.ts";

type Who = Pick<Actor, "id" | "orgId">;
type Change = { readonly workspaceId: string; readonly reason: string };

/** Creates a workspace without a state; answers its id. */
export async function createWorkspace(
  db: Db,
  actor: Who,
  owner: { readonly owner_id: string; readonly owner_type: string },
): Promise<string> {
  const id = newId("tfw");
  await insertWorkspace(db, actor.orgId, { id, ...owner, created_by_id: actor.id });
  return id;
}

/** Deletes a workspace; its revisions are taken away in the background. 423 while it is locked. */
export async function deleteWorkspace(db: Db, actor: Who, workspaceId: string): Promise<void> {
  settle(await db<Outcome[]>`select o.* from delete_workspace(${actor.orgId}, ${workspaceId}) o`);
}

/** Refuses locks from now on; who holds one may still save. A second block has its own reason. */
export async function blockWorkspace(
  db: Db,
  actor: Who,
  { workspaceId, reason }: Change,
): Promise<void> {
  settle(
    await db<Outcome[]>`
      select o.* from block_workspace(${actor.orgId}, ${workspaceId}, ${actor.id}, ${reason}) o`,
  );
}

/** Lifts a block; a workspace without one stays as it is. */
export async function unblockWorkspace(
  db: Db,
  actor: Who,
  { workspaceId, reason }: Change,
): Promise<void> {
  settle(
    await db<Outcome[]>`
      select o.* from unblock_workspace(${actor.orgId}, ${workspaceId}, ${actor.id}, ${reason}) o`,
  );
}

/** Leaves the workspace without a state; its revisions stay. 423 while somebody else holds the lock. */
export async function deleteState(
  db: Db,
  actor: Who,
  { workspaceId, lockId }: { readonly workspaceId: string; readonly lockId: string | null },
): Promise<void> {
  settle(
    await db<Outcome[]>`
      select o.* from delete_terraform_state(${actor.orgId}, ${workspaceId}, ${lockId}, ${actor.id}) o`,
  );
}

function settle([outcome]: readonly Outcome[]): void {
  if (outcome === undefined) throw new Error("a change of a workspace answered nothing");
  const refused = refusalOf(outcome);
  if (refused !== undefined) throw refused;
}

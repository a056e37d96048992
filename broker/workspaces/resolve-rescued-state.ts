import type { Db } from "../database/connect.ts";
import type { Actor } from "../tokens/actor.ts";
import type { Outcome } from "./queries.ts";
import { refusalOf } from "./refuse.ts";

type Who = Pick<Actor, "id" | "orgId">;
type Resolution = {
  readonly workspaceId: string;
  readonly rescuedId: string;
  readonly reason: string;
};

/**
 * Makes a rescued state the current one and lifts the block of its job's lost state. 409 when it does not follow the current one, 423 while the
 * workspace is locked.
 */
export async function pushRescuedState(
  db: Db,
  { id, orgId }: Who,
  resolution: Resolution,
): Promise<void> {
  const { workspaceId, rescuedId, reason } = resolution;
  throwIfRefused(
    await db<Outcome[]>`
      select o.* from push_rescued_state(${orgId}, ${workspaceId}, ${rescuedId}, ${id}, ${reason}) o`,
  );
}

/** Deletes a rescued state; a block stays. */
export async function discardRescuedState(
  db: Db,
  { id, orgId }: Who,
  { workspaceId, rescuedId, reason }: Resolution,
): Promise<void> {
  throwIfRefused(
    await db<Outcome[]>`
      select o.* from discard_rescued_state(${orgId}, ${workspaceId}, ${rescuedId}, ${id}, ${reason}) o`,
  );
}

function throwIfRefused([outcome]: readonly Outcome[]): void {
  if (outcome === undefined) throw new Error("a change of a rescued state answered nothing");
  const refused = refusalOf(outcome);
  if (refused !== undefined) throw refused;
}

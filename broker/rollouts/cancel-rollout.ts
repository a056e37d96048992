import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { Actor } from "../tokens/actor.ts";
import { cancelRolloutRow } from "./queries.ts";
import { findRollout, type RolloutRow } from "./rollout-rows.ts";

/** Calls a rollout off: nobody else is asked; what was ordered before ends by itself. 409 when it is over. */
export async function cancelRollout(
  db: Db,
  { orgId, id: actorId }: Pick<Actor, "id" | "orgId">,
  id: string,
): Promise<RolloutRow> {
  const outcome = await cancelRolloutRow(db, orgId, id, actorId);
  const row = await findRollout(db, orgId, id);
  if (outcome === "not-found" || row === undefined) throw problem.notFound("rollout");
  if (outcome === "over" && row.status !== "cancelled")
    throw problem.conflict("rollout_over", `This rollout is over: ${row.status}.`);
  return row;
}

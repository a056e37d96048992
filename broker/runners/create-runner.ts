import type { NewRunner } from "../../shared/api/runners.ts";
import { type Problem, problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { keyedId } from "../database/keyed-id.ts";
import { newId } from "../database/new-id.ts";
import type { Actor } from "../tokens/actor.ts";
import { requireWithin } from "../tokens/bound/require-within.ts";
import { findRunner, insertRunner } from "./queries.ts";
import { requireOperator } from "./require-operator.ts";

/** Creates a runner, ready to take jobs; answers its id. 404 without its group, 409 for a taken name. */
export async function createRunner(
  db: Db,
  actor: Pick<Actor, "bound" | "id" | "orgId" | "permissions" | "requestSeed" | "runnerId">,
  runner: NewRunner,
): Promise<string> {
  await requireWithin(db, actor, "runner_groups", runner.runner_group_id);
  await requireOperator(db, actor, { runner_group_id: runner.runner_group_id });
  const id = keyedId("run", actor.requestSeed);
  if (actor.requestSeed !== undefined && (await findRunner(db, actor.orgId, id))) return id;
  const ids = { id, operationId: newId("rop"), actorId: actor.id };
  const outcome = await insertRunner(db, actor.orgId, { ...runner, ...ids });
  if (outcome === "no-group") throw problem.notFound("runner group");
  if (outcome === "name-taken") throw nameTaken();
  return id;
}

/** The refusal of a name that another runner of the org has. */
export function nameTaken(): Problem {
  return problem.conflict("runner_name_taken", "Another runner in this org already has this name.");
}

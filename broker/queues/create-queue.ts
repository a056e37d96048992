import type { NewQueue } from "../../shared/api/queues.ts";
import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import { keyedId } from "../database/keyed-id.ts";
import type { Actor } from "../tokens/actor.ts";
import { findQueue, insertQueue } from "./queries.ts";

const noLimit = 2_147_483_647;

/** Creates a queue; answers its id. 409 for a name that its owner has already, 429 past the org's number of queues. */
export async function createQueue(
  { db, config, limits }: Pick<Broker, "db" | "config" | "limits">,
  actor: Pick<Actor, "id" | "orgId" | "requestSeed">,
  queue: NewQueue,
): Promise<string> {
  const id = keyedId("que", actor.requestSeed);
  if (actor.requestSeed !== undefined && (await findQueue(db, actor.orgId, id))) return id;
  const most = config.limits.queues_of_org || noLimit;
  const outcome = await insertQueue(db, actor.orgId, { ...queue, id, most, actorId: actor.id });
  if (outcome === "full") throw limits.refusal("queues_of_org");
  if (outcome === "taken") throw nameTaken();
  return id;
}

/** The refusal of a name that another queue of the owner has. */
export const nameTaken = (): Error =>
  problem.conflict("name_taken", "This owner already has a queue of this name.");

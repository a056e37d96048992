import type { Broker } from "../broker.ts";
import type { Actor } from "../tokens/actor.ts";
import { topics } from "../wake/wakes.ts";
import { purgeSome } from "./queries.ts";
import { requireQueue } from "./require-queue.ts";

const batch = 1_000;
const mostBatches = 100;

/** Cancels the signals that wait in a queue, and those in flight if asked; answers how many, and whether to ask again. */
export async function purgeQueue(
  { db, wakes }: Pick<Broker, "db" | "wakes">,
  actor: Pick<Actor, "id" | "orgId">,
  { id, withInFlight }: { readonly id: string; readonly withInFlight: boolean },
): Promise<{ readonly purged: number; readonly hasMore: boolean }> {
  await requireQueue(db, actor.orgId, id);
  const why = `its queue was purged by ${actor.id}`;
  let purged = 0;
  for (let nth = 0; nth < mostBatches; nth++) {
    const some = await purgeSome(db, actor.orgId, { id, withInFlight, why, batch });
    wakes.notify(some.wakes.map(topics.signals));
    purged += some.purged;
    if (some.purged < batch) return { purged, hasMore: false };
  }
  return { purged, hasMore: true };
}

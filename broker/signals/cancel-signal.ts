import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import type { Actor } from "../tokens/actor.ts";
import { topics } from "../wake/wakes.ts";
import { cancelRow } from "./queries.ts";

/** Ends a live signal as cancelled; a cancelled one stays as it is. 409 for one that ended in another way. */
export async function cancelSignal(
  { db, wakes }: Pick<Broker, "db" | "wakes">,
  actor: Pick<Actor, "id" | "orgId">,
  id: string,
): Promise<void> {
  const rows = await cancelRow(db, actor.orgId, id, `cancelled by ${actor.id}`);
  const told = rows.find(({ outcome }) => outcome !== null);
  if (told === undefined) throw problem.notFound("signal");
  if (told.outcome === "ended") {
    const detail = `This signal has already ended: it is ${told.status}.`;
    throw problem.conflict("signal_ended", detail, { status: told.status });
  }
  wakes.notify(rows.flatMap(({ wake }) => (wake === null ? [] : [topics.signals(wake)])));
}

import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { requireQueue } from "../queues/require-queue.ts";
import { topics } from "../wake/wakes.ts";
import { findSignal, redriveRows, type RedriveRow } from "./queries.ts";

const batch = 1_000;
const mostBatches = 1_000;

type Parts = Pick<Broker, "db" | "wakes">;
type Redriven = { readonly signalId: string; readonly outcome: string };

/** Puts dead signals of a queue back in line, as many as there is room for; answers what came of each. */
export async function redriveSignals(
  parts: Parts,
  org: OrgId,
  { queueId, ids }: { readonly queueId: string; readonly ids: readonly string[] | undefined },
): Promise<readonly Redriven[]> {
  await requireQueue(parts.db, org, queueId);
  if (ids !== undefined) return await redriveSome(parts, org, { queueId, ids: [...new Set(ids)] });
  const all: Redriven[] = [];
  for (let nth = 0; nth < mostBatches; nth++) {
    const some = await redriveSome(parts, org, { queueId, ids: null });
    all.push(...some);
    if (some.length === 0) break;
  }
  return all;
}

/** Puts one dead signal back in line; 404, 409 `signal_not_dead` or `dedupe_key_taken`, 429 `queue_full`. */
export async function redriveSignal(parts: Parts, org: OrgId, id: string): Promise<void> {
  const found = await findSignal(parts.db, org, id);
  if (found === undefined) throw problem.notFound("signal");
  const [told] = await redriveSome(parts, org, { queueId: found.queue_id, ids: [id] });
  switch (told?.outcome) {
    case "redriven":
      return;
    case "not-dead":
      throw problem.conflict("signal_not_dead", `Only a dead signal can be redriven.`);
    case "kept":
      throw problem.conflict(
        "dedupe_key_taken",
        "A live signal of the queue has the same dedupe_key.",
      );
    case "full":
      throw problem.tooMany("This queue is full: max_depth signals wait.", 5, "queue_full");
    default:
      throw problem.notFound("queue"); // it was deleted
  }
}

async function redriveSome(
  { db, wakes }: Parts,
  org: OrgId,
  { queueId, ids }: { readonly queueId: string; readonly ids: readonly string[] | null },
): Promise<Redriven[]> {
  const rows = await redriveRows(db, org, { queueId, ids, batch });
  wakes.notify(rows.flatMap(({ wake }) => (wake === null ? [] : [topics.signals(wake)])));
  return rows.flatMap(toRedriven);
}

function toRedriven({ signal_id: signalId, outcome }: RedriveRow): Redriven[] {
  return signalId === null || outcome === null ? [] : [{ signalId, outcome }];
}

import { mostOfGraph, type SignalGraph } from "../../shared/api/follow-signals.ts";
import { Problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { requireAct } from "../queues/require-act.ts";
import type { Actor } from "../tokens/actor.ts";
import { readSignalRows } from "./read-signals.ts";
import type { CallbackRow, SignalRow } from "./signal-row.ts";

type Node = SignalGraph["nodes"][number];

/** What follows a signal by its callbacks, so deep, as far as the caller may read it. */
export async function graphOfSignal(
  db: Db,
  actor: Pick<Actor, "bound" | "orgId" | "permissions">,
  root: string,
  depth: number,
): Promise<SignalGraph> {
  const nodes = new Map<string, Node>();
  const edges: SignalGraph["edges"] = [];
  const mayRead = makeMayRead(db, actor);
  let hasMore = false;
  let level: readonly string[] = [root];
  for (let at = 0; level.length > 0; at++) {
    const found = await readSignalRows(db, actor.orgId, level);
    for (const { row } of found) nodes.set(row.id, nodeOf(row, at));
    const following: string[] = [];
    for (const callback of found.flatMap(({ callbacks }) => callbacks)) {
      if (callback.queue_id !== null && !(await mayRead(callback.queue_id))) continue;
      const isTooMuch = at === depth || nodes.size >= mostOfGraph.nodes;
      if (isTooMuch) hasMore = true;
      if (isTooMuch) continue;
      edges.push(edgeOf(callback));
      nodes.set(callback.next_id, leafOf(callback, at + 1));
      if (callback.kind === "signal" && callback.status === "done")
        following.push(callback.next_id);
    }
    level = following;
  }
  return { root, nodes: [...nodes.values()], edges, has_more: hasMore };
}

/** Whether the caller may read what is in a queue, asked once of each. */
function makeMayRead(
  db: Db,
  actor: Pick<Actor, "bound" | "orgId" | "permissions">,
): (queueId: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  const ask = async (queueId: string): Promise<boolean> => {
    try {
      await requireAct(db, actor, { act: "read", on: { queue_id: queueId } });
      return true;
    } catch (error) {
      if (error instanceof Problem) return false;
      throw error;
    }
  };
  return (queueId) => {
    const asked = known.get(queueId) ?? ask(queueId);
    known.set(queueId, asked);
    return asked;
  };
}

const nodeOf = (row: SignalRow, depth: number): Node => ({
  id: row.id,
  kind: "signal",
  depth,
  status: row.status,
  type: row.type,
  queue_id: row.queue_id,
  created_at: row.created_at.toISOString(),
  ...(row.finished_at !== null && { finished_at: row.finished_at.toISOString() }),
});

/** What is not made yet, or is no signal. */
const leafOf = (callback: CallbackRow, depth: number): Node => ({
  id: callback.next_id,
  kind: callback.kind,
  depth,
  status: callback.status,
  ...(callback.type !== null && { type: callback.type }),
  ...(callback.queue_id !== null && { queue_id: callback.queue_id }),
});

const edgeOf = (callback: CallbackRow): SignalGraph["edges"][number] => ({
  from: callback.signal_id,
  to: callback.next_id,
  n: callback.n,
  on: callback.statuses,
  status: callback.status,
});

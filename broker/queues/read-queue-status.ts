import type { SignalStatus } from "../../shared/queue-signal.ts";
import { signalStatuses } from "../../shared/queue-signal.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { countEnded, findPresentUse } from "./queries.ts";
import { requireQueue } from "./require-queue.ts";

const mostCounted = 10_000;

/** How full a queue is, from its counters; ended signals are counted as far as 10,000 of each status. */
export async function readQueueStatus(db: Db, org: OrgId, id: string) {
  const queue = await requireQueue(db, org, id);
  const [ended, use] = [await countEnded(db, id, mostCounted), await findPresentUse(db, id)];
  const known = new Map<string, number>(ended.map(({ status, signals }) => [status, signals]));
  known.set("queued", queue.waiting);
  known.set("in-flight", use.executing);
  known.set("retrying", queue.delayed + Math.max(0, queue.in_flight - use.executing));
  const counts = Object.fromEntries(
    signalStatuses.map((status) => [status, known.get(status) ?? 0]),
  ) as Record<SignalStatus, number>; // one for each status
  const [isPaused, depth] = [queue.status === "paused", queue.waiting + queue.delayed];
  return {
    queue_id: id,
    paused: isPaused,
    ready: !isPaused,
    stopped: false,
    depth,
    queueDepthCount: depth,
    delayed: queue.delayed,
    in_flight: use.signals,
    inFlightCount: queue.in_flight,
    max_depth: queue.max_depth,
    max_in_flight: queue.max_in_flight,
    bytes: queue.bytes,
    oldest_at: queue.oldest_at?.toISOString() ?? null,
    oldest_age_seconds: use.oldest_age,
    counts,
  };
}

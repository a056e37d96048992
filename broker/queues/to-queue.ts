import type { Emitter } from "../../shared/api/emitter.ts";
import type { Queue } from "../../shared/api/queue.ts";
import type { QueueSignal } from "../../shared/api/signal.ts";
import type { QueueWithUse } from "../runners/queries.ts";
import { toRunnerQueue } from "../runners/to-runner-queue.ts";
import { toCompositeStatus } from "../status/composite-status.ts";
import type { StatusHistoryRow } from "../status/row.ts";
import { toLane } from "./find-lane.ts";
import type { QueueRow } from "./queue-row.ts";

/** A queue as the API shows it. */
export function toQueue(
  row: QueueRow,
  {
    history,
    signals = [],
    emitters = [],
  }: {
    readonly history?: readonly StatusHistoryRow[] | undefined;
    readonly signals?: QueueSignal[];
    readonly emitters?: Emitter[];
  } = {},
): Queue {
  const present = { status: row.status, description: row.status_description, at: row.status_at };
  return {
    id: row.id,
    org_id: row.org_id,
    name: row.name,
    owner_id: row.owner_id,
    owner_type: row.owner_type,
    ...laneOf(row),
    max_depth: row.max_depth,
    max_in_flight: row.max_in_flight,
    idle_timeout: row.idle_timeout,
    metadata: row.metadata,
    status_v2: toCompositeStatus(present, history),
    emitters,
    queue_signal: signals,
    depth: row.waiting + row.delayed,
    delayed: row.delayed,
    in_flight: row.in_flight,
    oldest_at: row.oldest_at?.toISOString() ?? null,
    paused: row.status === "paused",
    paused_until: row.paused_until?.toISOString() ?? null,
    paused_note: row.paused_note,
    paused_by_id: row.paused_by_id,
    version: row.version,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    created_by_id: row.created_by_id,
  };
}

function laneOf(row: QueueRow): Pick<Queue, "lane_of"> {
  const lane = toLane(row);
  return lane === null ? {} : { lane_of: { owner_type: lane.owner, owner_id: lane.id } };
}

/** The queue of a runner's job group as the one of the queues that it is. */
export function toQueueOfRunner(row: QueueWithUse): Queue {
  const shown = toRunnerQueue(row);
  return {
    id: shown.id,
    org_id: shown.org_id,
    name: shown.name,
    owner_id: shown.owner_id,
    owner_type: shown.owner_type,
    max_depth: shown.max_depth,
    max_in_flight: shown.max_in_flight,
    idle_timeout: 0,
    metadata: {},
    status_v2: shown.status_v2,
    emitters: [],
    queue_signal: [],
    depth: shown.depth,
    delayed: 0,
    in_flight: shown.in_flight,
    oldest_at: null,
    paused: shown.paused,
    paused_until: null,
    paused_note: null,
    paused_by_id: null,
    version: 1,
    created_at: shown.created_at,
    updated_at: shown.created_at,
    created_by_id: "",
  };
}

import type { QueueSignal } from "../../shared/api/signal.ts";
import { toCompositeStatus } from "../status/composite-status.ts";
import type { CallbackRow, SignalRow } from "./signal-row.ts";

/** The opened data and result of a signal. */
export type SignalContents = {
  readonly signal: Record<string, unknown>;
  readonly result: Record<string, unknown> | null;
};

/** A signal as the API shows it; without its contents they are hidden. */
export function toQueueSignal(
  row: SignalRow,
  {
    callbacks,
    contents,
    queue,
    waits,
    isListed = false,
  }: {
    readonly callbacks: readonly CallbackRow[];
    readonly contents?: SignalContents | undefined;
    readonly queue?: QueueSignal["queue"];
    readonly waits?: QueueSignal["waits"] | null;
    /** In a list. By itself it has null for what is withheld, as command lines of earlier versions read it. */
    readonly isListed?: boolean;
  },
): QueueSignal {
  const refs = callbacks.map(toCallbackRef);
  return {
    id: row.id,
    org_id: row.org_id,
    queue_id: row.queue_id,
    ...((queue || !isListed) && { queue: queue ?? null }),
    owner_id: row.owner_id,
    owner_type: row.owner_type,
    type: row.type,
    ...((contents || !isListed) && { signal: contents?.signal ?? null }),
    signal_hidden: contents === undefined,
    signal_context: toSignalContext(row),
    dedupe_key: row.dedupe_key,
    emitter_id: row.emitter_id,
    enqueued: true,
    execution_count: row.execution_count,
    max_executions: row.max_executions,
    retry_delay: row.retry_delay,
    expires_at: row.expires_at?.toISOString() ?? null,
    status: toStatus(row),
    worker: row.worker,
    lease_until: row.lease_until?.toISOString() ?? null,
    ...(waits && { waits }),
    result: contents?.result ?? null,
    ...(refs[0] && { callback: refs[0] }),
    callbacks: refs,
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    created_by_id: row.created_by_id,
  };
}

/** What a signal's context is, wherever a signal is shown. */
export function toSignalContext(
  row: Pick<SignalRow, "awaited_by" | "caused_by" | "scheduled_for" | "created_by_id" | "context">,
): QueueSignal["signal_context"] {
  return {
    awaited_by: row.awaited_by,
    caused_by: row.caused_by,
    scheduled_for: row.scheduled_for?.toISOString() ?? null,
    created_by_id: row.created_by_id,
    values: row.context,
  };
}

const shown = 20;

function toStatus(row: SignalRow): QueueSignal["status"] {
  const present = { status: row.status, description: row.status_description, at: row.status_at };
  const known = { metadata: {}, owner_id: row.id, org_id: row.org_id, seq: 0 };
  const earlier = row.history
    .slice(-shown)
    .map(({ status, description, at }) => ({ ...known, status, description, at: new Date(at) }))
    .toReversed();
  return toCompositeStatus(present, [{ ...known, ...present }, ...earlier]);
}

function toCallbackRef(row: CallbackRow): QueueSignal["callbacks"][number] {
  return {
    n: row.n,
    kind: row.kind,
    on: row.statuses,
    status: row.status,
    status_description: row.status_description,
    next_id: row.next_id,
    queue_id: row.queue_id,
    type: row.type,
    settled_at: row.settled_at?.toISOString() ?? null,
  };
}

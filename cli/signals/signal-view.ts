import type { QueueSignal } from "../../shared/api/signal.ts";
import { formatAge, formatInstant } from "../output/format-age.ts";
import type { View } from "../output/print.ts";

const nameOf = (signal: QueueSignal): string => signal.id;

const executionsOf = ({ execution_count: n, max_executions: most }: QueueSignal): string =>
  `${n}/${most}`;

/** A signal as a line of a list. */
export const signalLine: View<QueueSignal> = {
  nameOf,
  columns: {
    ID: nameOf,
    TYPE: ({ type }) => type,
    STATUS: ({ status: { status } }) => status,
    EXECUTIONS: executionsOf,
    OWNER: ({ owner_type: kind, owner_id: id }) => [kind, id].join(" ").trim(),
    DEDUPE: ({ dedupe_key: key }) => key ?? "",
    AGE: ({ created_at }) => formatAge(created_at),
  },
};

/** A signal by itself. */
export const signalDetails: View<QueueSignal> = {
  nameOf,
  columns: {
    signal: nameOf,
    queue: ({ queue_id: id, queue }) => (queue == null ? id : `${id} (${queue.name})`),
    type: ({ type }) => type,
    status: ({ status: { status, status_human_description: why } }) =>
      why === "" ? status : `${status}: ${why}`,
    waits: ({ waits }) => waits?.description ?? "",
    executions: executionsOf,
    worker: ({ worker, lease_until: until }) =>
      until === null ? (worker ?? "") : `${worker ?? "unnamed"} (lease until ${until})`,
    "dedupe key": ({ dedupe_key: key }) => key ?? "",
    "expires at": ({ expires_at }) => expires_at ?? "",
    emitter: ({ emitter_id: id, signal_context: { scheduled_for: tick } }) =>
      id === null ? "" : `${id}${tick === null ? "" : ` (tick of ${tick})`}`,
    "caused by": ({ signal_context }) => signal_context.caused_by ?? "",
    "awaited by": ({ signal_context }) => signal_context.awaited_by ?? "",
    data: ({ signal, signal_hidden: isHidden }) =>
      signal == null ? (isHidden ? "hidden: needs the permission signals.data" : "") : json(signal),
    result: ({ result }) => (result === null ? "" : json(result)),
    callbacks: ({ callbacks }) =>
      callbacks
        .map(
          ({ kind, next_id: id, status, status_description: why }) =>
            `${kind} ${id}: ${status}${why === "" ? "" : `, ${why}`}`,
        )
        .join("\n"),
    created: ({ created_at }) => formatInstant(created_at),
    started: ({ started_at }) => formatInstant(started_at),
    ended: ({ finished_at }) => formatInstant(finished_at),
  },
};

const json = (value: unknown): string => JSON.stringify(value, null, 2);

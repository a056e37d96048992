import type { Queue } from "../../shared/api/queue.ts";
import { formatDuration } from "../../shared/duration.ts";
import { formatAge, formatInstant } from "../output/format-age.ts";
import type { View } from "../output/print.ts";

const nameOf = (queue: Queue): string => queue.id;

const ownerOf = ({ owner_type: kind, owner_id: id }: Queue): string => [kind, id].join(" ").trim();

/** A queue as a line of a list. */
export const queueLine: View<Queue> = {
  nameOf,
  columns: {
    ID: nameOf,
    NAME: ({ name }) => name,
    OWNER: ownerOf,
    STATUS: ({ status_v2: { status } }) => status,
    WAITING: ({ depth }) => String(depth),
    "IN FLIGHT": ({ in_flight, max_in_flight }) => `${in_flight}/${max_in_flight}`,
    OLDEST: ({ oldest_at }) => (oldest_at === null ? "" : formatAge(oldest_at)),
    AGE: ({ created_at }) => formatAge(created_at),
  },
};

/** A queue by itself. */
export const queueDetails: View<Queue> = {
  nameOf,
  columns: {
    queue: nameOf,
    name: ({ name }) => name,
    owner: ownerOf,
    status: ({ status_v2: { status, status_human_description: why } }) =>
      why === "" ? status : `${status}: ${why}`,
    paused: ({ paused, paused_note: note, paused_until: until }) =>
      paused ? `${note ?? ""} (until ${until ?? "it is resumed"})`.trim() : "",
    waiting: ({ depth, delayed, max_depth }) =>
      `${depth} of at most ${max_depth}${delayed > 0 ? `, ${delayed} of them back off` : ""}`,
    "in flight": ({ in_flight, max_in_flight }) => `${in_flight} of at most ${max_in_flight}`,
    oldest: ({ oldest_at }) => formatInstant(oldest_at),
    idle: ({ idle_timeout: ns }) => (ns === 0 ? "never" : `after ${formatDuration(ns)}`),
    next: ({ queue_signal: signals }) =>
      signals
        .slice(0, 10)
        .map(({ id, type, status: { status } }) => `${id}  ${type}  ${status}`)
        .join("\n"),
    created: ({ created_at }) => formatInstant(created_at),
  },
};

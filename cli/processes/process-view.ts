import type { ProcessShutdown } from "../../shared/api/runner-process-shutdown.ts";
import type { RunnerProcess } from "../../shared/api/runner-process.ts";
import { shutdownJobsText } from "../../shared/shutdown-jobs-text.ts";
import { formatAge, formatInstant } from "../output/format-age.ts";
import type { View } from "../output/print.ts";

const nameOf = (process: RunnerProcess): string => process.id;

/** A process as a line of a list. */
export const processLine: View<RunnerProcess> = {
  nameOf,
  columns: {
    ID: nameOf,
    TYPE: ({ type }) => type || "any",
    VERSION: ({ version }) => version,
    STATUS: ({ composite_status: { status } }) => status,
    ORDER: orderText,
    STARTED: ({ started_at: at }) => `${formatAge(at)} ago`,
    SEEN: ({ last_seen_at: at }) => `${formatAge(at)} ago`,
  },
};

/** What of it does not change with time alone. */
export function processFacts(process: RunnerProcess): unknown {
  return { ...process, uptime: undefined, last_seen_at: undefined };
}

/** A process by itself. */
export const processDetails: View<RunnerProcess> = {
  nameOf,
  columns: {
    process: nameOf,
    runner: ({ runner_id: id }) => id,
    type: ({ type }) => type || "any",
    version: ({ version }) => version,
    status: ({ composite_status: { status, status_human_description: why } }) =>
      why === "" ? status : `${status}: ${why}`,
    groups: ({ groups }) =>
      groups === null
        ? "as its settings say"
        : Object.entries(groups)
            .map(([group, slots]) => `${group || "(no group)"} ${slots}`)
            .join(", "),
    labels: ({ labels }) => labels.join(", "),
    warnings: ({ warnings }) => warnings.join("\n"),
    started: ({ started_at: at }) => formatInstant(at),
    seen: ({ last_seen_at: at }) => formatInstant(at),
    restarted: ({ previous_scheduled_restart_at: at }) => formatInstant(at),
    "next restart": ({ next_scheduled_restart_at: at }) => at ?? "",
    orders: ({ shutdowns }) => shutdowns.map(orderLine).join("\n"),
    log: ({ log_stream_id: id }) => id,
  },
};

/** An order with its course, who gave it and why, and what it did to the jobs that ran. */
function orderLine(order: ProcessShutdown): string {
  const { id, type, status, status_description: why, reason, created_by_id: by, metadata } = order;
  const { deadline = "" } = metadata;
  return [
    `${id}: ${type}, ${status}`,
    why,
    reason && `"${reason}"`,
    by && `by ${by} ${formatAge(order.created_at)} ago`,
    deadline && `until ${deadline}`,
    shutdownJobsText(order),
  ]
    .filter(Boolean)
    .join(", ");
}

/** The order that it has not carried out yet. */
function orderText({ shutdowns }: RunnerProcess): string {
  const open = shutdowns.find(({ deadline_at: at }) => at !== null);
  return open === undefined ? "" : `${open.type}, ${open.status}`;
}

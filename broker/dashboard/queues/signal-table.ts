import { html } from "hono/html";
import type { QueueSignal } from "../../../shared/api/signal.ts";
import { liveSignalStatuses } from "../../../shared/queue-signal.ts";
import type { Html, View } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { idText } from "../parts/id-text.ts";
import { table } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";

/** Signals, one a row, with what can be done with each. Their data is not shown. */
export function signalTable(view: View, signals: readonly QueueSignal[]): Html {
  const { nowMs } = view;
  if (signals.length === 0) return html`<p class="dim">No signal fits.</p>`;
  return table(
    "Signals",
    [
      { head: "Signal", cell: ({ id }) => html`<span class="id">${idText(id)}</span>` },
      {
        head: "Status",
        cell: ({ status }) =>
          html`<span title="${status.status_human_description}">${badge(status.status)}</span>`,
      },
      { head: "Type", cell: ({ type }) => type },
      {
        head: "Owner",
        kind: "minor",
        cell: ({ owner_id: id }) => html`<span class="id">${id || "–"}</span>`,
      },
      {
        head: "Executions",
        kind: "figure",
        cell: ({ execution_count: count, max_executions: most }) => `${count}/${most}`,
      },
      { head: "Enqueued", cell: ({ created_at: at }) => timeAgo(at, nowMs) },
      { head: "Ended", kind: "minor", cell: ({ finished_at: at }) => timeAgo(at, nowMs) },
      {
        head: "Worker",
        kind: "minor",
        cell: ({ worker, lease_until: until }) =>
          until === null
            ? (worker ?? "–")
            : html`${worker ?? "unnamed"}, lease ends ${timeAgo(until, nowMs)}`,
      },
      ...(view.can("queues.operate") ? [{ head: "Act", cell: act }] : []),
    ],
    signals,
  );
}

/** Whether it is in its queue. */
export function isLiveSignal({ status: { status } }: QueueSignal): boolean {
  return liveSignalStatuses.some((live) => live === status);
}

function act(signal: QueueSignal): Html {
  const at = `/signals/${signal.id}`;
  if (signal.status.status === "dead") return html`<a href="${at}/redrive">Redrive…</a>`;
  return isLiveSignal(signal) ? html`<a href="${at}/cancel">Cancel…</a>` : html`–`;
}

import { html } from "hono/html";
import type { QueueSignal } from "../../../shared/api/signal.ts";
import { type LaneOwner, permissionsOfAct, type QueueAct } from "../../../shared/queue-acts.ts";
import { liveSignalStatuses } from "../../../shared/queue-signal.ts";
import type { Html, View } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { idText } from "../parts/id-text.ts";
import { mayAll } from "../parts/permissions-of.ts";
import { table } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";

/** Signals, one a row, with what can be done with each. Their data is not shown. */
export function signalTable(
  view: View,
  signals: readonly QueueSignal[],
  owner: LaneOwner | null,
): Html {
  const { nowMs } = view;
  const may = (act: QueueAct): boolean => mayAll(view, permissionsOfAct(act, owner));
  const [mayCancel, mayRedrive] = [may("cancel"), may("redrive")];
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
      ...(mayCancel || mayRedrive
        ? [{ head: "Act", cell: (one: QueueSignal) => act(one, { mayCancel, mayRedrive }) }]
        : []),
    ],
    signals,
  );
}

/** Whether it is in its queue. */
export function isLiveSignal({ status: { status } }: QueueSignal): boolean {
  return liveSignalStatuses.some((live) => live === status);
}

type May = { readonly mayCancel: boolean; readonly mayRedrive: boolean };

function act(signal: QueueSignal, { mayCancel, mayRedrive }: May): Html {
  const at = `/signals/${signal.id}`;
  if (signal.status.status === "dead" && mayRedrive)
    return html`<a href="${at}/redrive">Redrive…</a>`;
  return isLiveSignal(signal) && mayCancel ? html`<a href="${at}/cancel">Cancel…</a>` : html`–`;
}

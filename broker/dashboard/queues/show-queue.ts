import { html } from "hono/html";
import type { Queue } from "../../../shared/api/queue.ts";
import { getQueueRoute, getQueueStatusRoute } from "../../../shared/api/queues.ts";
import { getSignalRoute, listSignalsRoute } from "../../../shared/api/signals.ts";
import { permissionsOfAct } from "../../../shared/queue-acts.ts";
import { signalStatuses } from "../../../shared/queue-signal.ts";
import { recentAudit } from "../audit/audit-table.ts";
import { emitterTable } from "../emitters/emitter-table.ts";
import type { Html, Page, View } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { type Choice, choices, heading } from "../parts/choices.ts";
import { facts } from "../parts/facts.ts";
import { filterForm, readFilters } from "../parts/filters.ts";
import { meter } from "../parts/meter.ts";
import { pauseWords } from "../parts/pausing.ts";
import { pager } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";
import { signalTable } from "./signal-table.ts";

const filters = {
  status: { label: "Status", values: signalStatuses },
  type: { label: "Type" },
  owner_id: { label: "Owner" },
} as const;

type Counts = Readonly<Record<(typeof signalStatuses)[number], number>>;

/** GET /queues/{queue_id}: how full a queue is, and its signals by status. */
export const showQueue: Page = {
  path: "/queues/{queue_id}",
  permission: "queues.read",
  async render(view) {
    const params = { queue_id: view.param("queue_id") };
    const [queue, { counts, bytes }, signals] = await Promise.all([
      view.ask(getQueueRoute, { params }),
      view.ask(getQueueStatusRoute, { params }),
      view.ask(listSignalsRoute, { params, query: readFilters(view.query, filters) }),
    ]);
    const waiting = signals.items.find(({ status }) => status.status === "queued");
    const at = `/queues/${queue.id}`;
    const topic = queue.id.startsWith("que_") ? ([`queue:${queue.id}`, "minute"] as const) : [];
    return {
      title: queue.name,
      live: view.query.has("cursor") ? [] : topic,
      main: html`${heading(queue.name, queue.id, badge(queue.status_v2.status))}
        ${pauseOf(queue, view)} ${choices(view, choicesOf(queue, counts))}
        ${facts([
          ["Waiting", `${queue.depth} of ${queue.max_depth.toLocaleString("en")}`],
          ["In flight", meter(queue.in_flight, queue.max_in_flight)],
          ["Backing off", String(queue.delayed)],
          ["First in line", timeAgo(queue.oldest_at, view.nowMs)],
          ["Data of live signals", `${Math.ceil(bytes / 1024).toLocaleString("en")} KiB`],
          ["Owner", html`${queue.owner_type || "–"} <span class="id">${queue.owner_id}</span>`],
        ])}
        <h2>Signals</h2>
        ${byStatus(at, counts, view.query.get("status"))} ${filterForm(at, view.query, filters)}
        ${waiting === undefined ? "" : await whyItWaits(view, waiting.id)}
        ${signalTable(view, signals.items, ownerOf(queue))}
        ${pager(view.address, signals.next_cursor)}
        ${
          queue.emitters.length === 0
            ? ""
            : html`<h2>Emitters</h2>
                ${emitterTable("Emitters of this queue", queue.emitters, view.nowMs)}`
        }
        ${await recentAudit(view, queue.id)}`,
    };
  },
};

const ownerOf = ({ lane_of: lane }: Queue) => lane?.owner_type ?? null;

/** Of the newest one that waits; it may begin, or be deleted, while the page is made. */
async function whyItWaits(view: View, id: string): Promise<Html | string> {
  const signal = await view.ask(getSignalRoute, {
    params: { signal_id: id },
    query: { data: "false" },
  });
  return signal.waits === undefined
    ? ""
    : html`<p class="notes"><span class="id">${id}</span> waits: ${signal.waits.description}.</p>`;
}

function choicesOf(queue: Queue, counts: Counts): Choice[] {
  const at = `/queues/${queue.id}`;
  const to = (act: "pause" | "resume" | "redrive" | "purge") => ({
    to: `${at}/${act}`,
    permission: permissionsOfAct(act, ownerOf(queue)),
  });
  return [
    { label: queue.paused ? "Change the pause" : "Pause", ...to("pause") },
    { label: "Resume", ...to("resume"), isOpen: queue.paused },
    { label: "Put dead signals back in line", ...to("redrive"), isOpen: counts.dead > 0 },
    { label: "Purge", ...to("purge") },
  ];
}

/** A count for each status that leads to those signals. */
function byStatus(at: string, counts: Counts, chosen: string | null): Html {
  return html`<ul class="counts">
    ${signalStatuses.map(
      (status) =>
        html`<li>
          <a href="${at}?status=${status}" ${status === chosen ? html`aria-current="true"` : ""}
            >${badge(status)} ${counts[status] >= 10_000 ? "10,000+" : counts[status]}</a
          >
        </li>`,
    )}
  </ul>`;
}

function pauseOf(queue: Queue, view: View): Html {
  if (!queue.paused) return html``;
  const pause = {
    at: null,
    until: queue.paused_until,
    note: queue.paused_note ?? "",
    by_id: queue.paused_by_id ?? "",
  };
  return html`<p class="notes">${pauseWords(pause, view.nowMs)}</p>`;
}

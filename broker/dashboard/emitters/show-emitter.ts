import { html } from "hono/html";
import type { Emitter, EmitterTicks } from "../../../shared/api/emitter.ts";
import { getEmitterRoute, getEmitterTicksRoute } from "../../../shared/api/emitters.ts";
import { getQueueRoute } from "../../../shared/api/queues.ts";
import { formatDuration } from "../../../shared/duration.ts";
import { permissionsOfAct, type QueueAct } from "../../../shared/queue-acts.ts";
import { recentAudit } from "../audit/audit-table.ts";
import type { Html, Page, View } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { choices, heading } from "../parts/choices.ts";
import { facts } from "../parts/facts.ts";
import { pauseWords } from "../parts/pausing.ts";
import { table } from "../parts/table.ts";
import { timeAgo, timeAt } from "../parts/time.ts";

/** GET /emitters/{emitter_id}: its schedule in words, and when it emits next. */
export const showEmitter: Page = {
  path: "/emitters/{emitter_id}",
  permission: "queues.read",
  async render(view) {
    const params = { emitter_id: view.param("emitter_id") };
    const [emitter, next] = await Promise.all([
      view.ask(getEmitterRoute, { params, query: { data: "false" } }),
      view.ask(getEmitterTicksRoute, { params, query: { n: 10 } }),
    ]);
    const queueParams = { queue_id: emitter.queue_id };
    const { lane_of: lane } = await view.ask(getQueueRoute, { params: queueParams });
    const permission = (act: QueueAct) => permissionsOfAct(act, lane?.owner_type ?? null);
    const { pause, status } = emitter;
    const at = `/emitters/${emitter.id}`;
    const isDone = status.status === "done";
    return {
      title: emitter.name,
      live: ["minute"],
      main: html`${heading(emitter.name, emitter.id, badge(status.status))}
        <p>
          ${emitter.schedule_description}${emitter.description === "" ? "" : `: ${emitter.description}`}
        </p>
        ${pause === null ? "" : html`<p class="notes">${pauseWords(pause, view.nowMs)}</p>`}
        ${choices(view, [
          { label: "Fire now", to: `${at}/fire`, permission: permission("fire-emitter") },
          {
            label: "Pause",
            to: `${at}/pause`,
            permission: permission("pause-emitter"),
            isOpen: pause === null && !isDone,
          },
          {
            label: "Resume",
            to: `${at}/resume`,
            permission: permission("resume-emitter"),
            isOpen: pause !== null,
          },
        ])}
        ${emitterFacts(emitter, view)}
        <h2>Next ticks</h2>
        ${ticks(next, view.nowMs, pause !== null)} ${await recentAudit(view, emitter.id)}`,
    };
  },
};

function emitterFacts(emitter: Emitter, { nowMs }: View): Html {
  const { cron_schedule: cron, jitter_window: jitter, last_signal_id: last } = emitter;
  return facts([
    ["Queue", html`<a class="id" href="/queues/${emitter.queue_id}">${emitter.queue_id}</a>`],
    ["Signal type", emitter.signal_type],
    ["Mode", emitter.mode],
    ["Cron", cron === null ? "–" : html`<code>${cron}</code>`],
    ["Time zone", emitter.time_zone],
    ["Jitter", jitter === 0 ? "none" : `up to ${formatDuration(jitter)}`],
    ["Missed ticks", emitter.missed_policy],
    ["Overlap", emitter.overlap_policy],
    ["Last emitted", timeAgo(emitter.last_emitted_at, nowMs)],
    ["Last signal", last === null ? "–" : html`<span class="id">${last}</span>`],
    ["Emitted", String(emitter.emit_count)],
    ["Skipped", String(emitter.skip_count)],
  ]);
}

function ticks(
  { ticks: all, time_zone: zone }: EmitterTicks,
  nowMs: number,
  isPaused: boolean,
): Html {
  if (all.length === 0) return html`<p class="dim">None: it is done.</p>`;
  return table(
    isPaused ? "If it were resumed now" : "With its own part of the jitter",
    [
      { head: "Emits", cell: ({ emit_at: at }) => timeAgo(at, nowMs) },
      { head: "At", cell: ({ emit_at: at }) => timeAt(at) },
      { head: `Tick, ${zone}`, cell: ({ local }) => local.replace("T", " ") },
      { head: "Tick, UTC", kind: "minor", cell: ({ scheduled_for: at }) => timeAt(at) },
    ],
    all,
  );
}

import { html } from "hono/html";
import type { Emitter } from "../../../shared/api/emitter.ts";
import type { Html } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { table } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";

/** Emitters, one a row: when each emits, did, and will. */
export function emitterTable(caption: string, emitters: readonly Emitter[], nowMs: number): Html {
  return table(
    caption,
    [
      { head: "Emitter", cell: ({ id, name }) => html`<a href="/emitters/${id}">${name}</a>` },
      { head: "Status", cell: ({ status: { status } }) => badge(status) },
      { head: "Schedule", cell: ({ schedule_description: words }) => words },
      { head: "Signal", kind: "minor", cell: ({ signal_type: type }) => type },
      {
        head: "Queue",
        kind: "minor",
        cell: ({ queue_id: id }) => html`<a class="id" href="/queues/${id}">${id}</a>`,
      },
      { head: "Last", cell: ({ last_emitted_at: at }) => timeAgo(at, nowMs) },
      { head: "Next", cell: ({ next_emit_at: at }) => timeAgo(at, nowMs) },
      { head: "Emitted", kind: "figure", cell: ({ emit_count: count }) => count },
      { head: "Skipped", kind: "figure", cell: ({ skip_count: count }) => count },
    ],
    emitters,
  );
}

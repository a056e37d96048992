import type { Emitter } from "../../shared/api/emitter.ts";
import { formatDuration } from "../../shared/duration.ts";
import { formatAge, formatInstant } from "../output/format-age.ts";
import type { View } from "../output/print.ts";

const nameOf = (emitter: Emitter): string => emitter.id;

/** An emitter as a line of a list. */
export const emitterLine: View<Emitter> = {
  nameOf,
  columns: {
    ID: nameOf,
    NAME: ({ name }) => name,
    WHEN: ({ schedule_description: when }) => when,
    TYPE: ({ signal_type: type }) => type,
    STATUS: ({ status: { status } }) => status,
    EMITTED: ({ emit_count: count }) => String(count),
    LAST: ({ last_emitted_at: at }) => (at === null ? "" : formatAge(at)),
    NEXT: ({ next_emit_at: at }) => at ?? "",
  },
};

/** An emitter by itself. */
export const emitterDetails: View<Emitter> = {
  nameOf,
  columns: {
    emitter: nameOf,
    name: ({ name }) => name,
    description: ({ description }) => description,
    queue: ({ queue_id: id }) => id,
    when: ({ schedule_description: when, cron_schedule: cron }) =>
      cron === null ? when : `${when} (${cron})`,
    jitter: ({ jitter_window: ns }) => (ns === 0 ? "" : `up to ${formatDuration(ns)}`),
    missed: ({ mode, missed_policy: policy, missed_limit: most }) =>
      mode !== "cron" ? "" : policy === "all" ? `all, at most ${most}` : policy,
    overlap: ({ mode, overlap_policy: policy }) => (mode === "cron" ? policy : ""),
    signal: ({ signal_type: type }) => type,
    data: ({ signal_template: template, signal_template_hidden: isHidden }) =>
      template == null
        ? isHidden
          ? "hidden: needs the permission signals.data"
          : ""
        : JSON.stringify(template, null, 2),
    status: ({ status: { status, status_human_description: why } }) =>
      why === "" ? status : `${status}: ${why}`,
    emitted: ({ emit_count: count, skip_count: skipped }) =>
      skipped === 0 ? String(count) : `${count}, and ${skipped} skipped`,
    last: ({ last_emitted_at: at, last_signal_id: id }) =>
      at === null ? "" : `${formatInstant(at)}, ${id ?? ""}`,
    next: ({ next_emit_at: at }) => at ?? "",
    created: ({ created_at }) => formatInstant(created_at),
  },
};

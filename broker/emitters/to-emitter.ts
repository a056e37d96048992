import type { Emitter } from "../../shared/api/emitter.ts";
import { formatDuration } from "../../shared/duration.ts";
import { toCompositeStatus } from "../status/composite-status.ts";
import type { StatusHistoryRow } from "../status/row.ts";
import { describeCron } from "./describe-cron.ts";
import type { EmitterRow } from "./row.ts";
import { readableSchedule } from "./schedule-of.ts";

/** An emitter as the API shows it; without its template where none is given. */
export function toEmitter(
  row: EmitterRow,
  {
    history,
    template,
  }: {
    readonly history?: readonly StatusHistoryRow[] | undefined;
    /** null: withheld. */
    readonly template?: Readonly<Record<string, unknown>> | null;
  } = {},
): Emitter {
  const { status_description: description } = row;
  const present = { status: row.status, description, at: row.status_at };
  return {
    id: row.id,
    org_id: row.org_id,
    queue_id: row.queue_id,
    name: row.name,
    description: row.description,
    mode: row.mode,
    cron_schedule: row.cron_schedule,
    time_zone: row.time_zone,
    schedule_description: describeSchedule(row),
    scheduled_at: toText(row.scheduled_at),
    delay: row.delay,
    fired: row.fired,
    jitter_window: row.jitter_window,
    missed_policy: row.missed_policy,
    missed_limit: row.missed_limit,
    overlap_policy: row.overlap_policy,
    signal_type: row.signal_type,
    ...(template !== undefined && { signal_template: template }),
    signal_template_hidden: template == null,
    signal_expires_in: row.signal_expires_in,
    dedupe_key: row.dedupe_key,
    max_executions: row.max_executions,
    retry_delay: row.retry_delay,
    owner_id: row.owner_id,
    owner_type: row.owner_type,
    emit_count: row.emit_count,
    skip_count: row.skip_count,
    last_emitted_at: toText(row.last_emitted_at),
    last_signal_id: row.last_signal_id,
    next_tick_at: toText(row.next_tick_at),
    next_emit_at: toText(row.next_emit_at),
    // What happened to the last tick is said without a move, so the history does not have it.
    status: { ...toCompositeStatus(present, history), status_human_description: description },
    pause: toPause(row),
    version: row.version,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    created_by_id: row.created_by_id,
  };
}

/** When it emits, in words. */
export function describeSchedule(row: EmitterRow): string {
  if (row.mode === "cron") {
    const schedule = readableSchedule(row);
    return schedule === undefined
      ? `${row.cron_schedule} in ${row.time_zone}, which this broker cannot read`
      : describeCron(schedule.cron, schedule.zone);
  }
  const at = toText(row.scheduled_at) ?? "";
  return row.delay === null ? `once at ${at}` : `once at ${at}, after ${formatDuration(row.delay)}`;
}

function toPause(row: EmitterRow): Emitter["pause"] {
  if (row.status !== "paused") return null;
  const { paused_note: note, paused_by_id: by } = row;
  const until = toText(row.paused_until);
  return { at: row.status_at.toISOString(), until, note: note ?? "", by_id: by ?? "" };
}

const toText = (at: Date | null): string | null => at?.toISOString() ?? null;

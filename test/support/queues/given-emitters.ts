import type { Db } from "../../../broker/database/connect.ts";
import { newId } from "../../../broker/database/new-id.ts";
import type { GivenQueue } from "./given-signals.ts";

/** An emitter as `create_emitter` takes it: of a minute's ticks, the first a minute from now, for workers to claim. */
export function anEmitter(queue: GivenQueue, members: Readonly<Record<string, unknown>> = {}) {
  const at = new Date(Math.ceil(Date.now() / 60_000) * 60_000).toISOString();
  return {
    id: newId("emt"),
    org_id: queue.orgId as string,
    queue_id: queue.queueId,
    name: newId("emt"),
    description: "",
    mode: "cron",
    cron_schedule: "* * * * *",
    time_zone: "UTC",
    jitter_window: 0,
    grace: 59_999_000_000,
    missed_policy: "once",
    missed_limit: 10,
    overlap_policy: "allow",
    signal_type: "work",
    runs: "pull",
    owner_id: "",
    owner_type: "",
    max_executions: 3,
    retry_delay: 1_000_000_000,
    next_tick_at: at,
    next_emit_at: at,
    created_by_id: "acc_1",
    ...members,
  };
}

/** Creates an emitter; answers its id. */
export async function givenEmitter(
  db: Db,
  queue: GivenQueue,
  members: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const emitter = anEmitter(queue, members);
  const [row] = await db<{ outcome: string }[]>`
    select create_emitter(${JSON.stringify(emitter)}::text::json, ${Buffer.from("{}")}, 1000000) as outcome`;
  if (row?.outcome !== "created") throw new Error(`create_emitter answered ${row?.outcome}`);
  return emitter.id;
}

export type EmitterState = {
  readonly id: string;
  readonly org_id: string;
  readonly queue_id: string;
  readonly version: number;
  readonly status: string;
  readonly status_description: string;
  readonly next_tick_at: Date | null;
  readonly next_emit_at: Date | null;
  readonly due_at: Date | null;
  readonly emit_count: number;
  readonly skip_count: number;
  readonly fired: boolean;
  readonly last_signal_id: string | null;
};

/** An emitter as it is stored. */
export async function emitterOf(db: Db, id: string): Promise<EmitterState> {
  const [row] = await db<EmitterState[]>`select * from queue_emitters where id = ${id}`;
  if (row === undefined) throw new Error(`there is no emitter ${id}`);
  return row;
}

/** Pauses or resumes an emitter; answers the outcome. */
export async function setEmitterPause(
  db: Db,
  { org_id, id }: Pick<EmitterState, "org_id" | "id">,
  event: "pause" | "resume",
  until: Date | null = null,
): Promise<string | undefined> {
  const [row] = await db<{ outcome: string }[]>`
    select set_emitter_pause(${org_id}, ${id}, ${event}, 'a note', ${until}, 'acc_1') as outcome`;
  return row?.outcome;
}

type Settled = { readonly id: string; readonly outcome: string; readonly emitted: number };

/** What a broker would ask of an emitter as it read it: these signals, and then this tick; null: no more. */
export function tickOf(emitter: EmitterState, next: Date | null, skipped = 0) {
  const { id, org_id, queue_id, version, next_tick_at: tick_at } = emitter;
  const next_tick_at = next;
  return { id, org_id, queue_id, version, tick_at, skipped, next_tick_at, next_emit_at: next };
}

/** A signal of a tick, as `emit_ticks` takes it. */
export function emittedSignal({ id }: Pick<EmitterState, "id">, scheduledFor: Date | null) {
  const contents = Buffer.from("{}").toString("base64");
  return { emitter_id: id, id: newId("sig"), scheduled_for: scheduledFor, contents };
}

/** Emits in one call; answers what became of each emitter. */
export async function emitTicks(
  db: Db,
  ticks: readonly object[],
  signals: readonly object[],
): Promise<Settled[]> {
  const rows = await db<(Settled & { id: string | null })[]>`
    select (r.settled).id, (r.settled).outcome, (r.settled).emitted
      from emit_ticks(${JSON.stringify(ticks)}::text::json, ${JSON.stringify(signals)}::text::json) r`;
  return rows.filter(({ id }) => id !== null);
}

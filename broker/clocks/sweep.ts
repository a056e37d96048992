import type { Db } from "../database/connect.ts";
import { isRefusal } from "../database/database-errors.ts";
import type { Log } from "../log.ts";
import { parseQueueKeys } from "../queues/queue-keys.ts";
import { topics, type Wakes } from "../wake/wakes.ts";
import type { DatabaseClock } from "./database-clock.ts";
import { type Loop, repeat } from "./repeat.ts";

type SweptRow = {
  due: number;
  wakes?: string[];
  org_ids?: string[];
  process_ids?: string[];
  queue_ids?: string[];
};

type Clock = {
  readonly everyMs: number;
  /** How much it acts on at once. */
  readonly batch: number;
  /** Whose deadlines it acts on: the table, and the name of its key. */
  readonly of?: readonly [table: string, key: string];
};

/** The clocks: which function of the database acts on what is due, how often, and how much at once. */
const sweeps = {
  sweep_jobs: { everyMs: 200, batch: 1_000, of: ["runner_job_live", "id"] },
  sweep_stopping: { everyMs: 500, batch: 500, of: ["stopping_executions", "execution_id"] },
  sweep_processes: { everyMs: 1_000, batch: 500, of: ["runner_processes", "id"] },
  sweep_shutdowns: { everyMs: 1_000, batch: 100 },
  sweep_rollouts: { everyMs: 1_000, batch: 1, of: ["runner_rollouts", "id"] },
  sweep_pauses: { everyMs: 1_000, batch: 100 },
  sweep_queues: { everyMs: 5_000, batch: 500 },
  sweep_signals: { everyMs: 200, batch: 500, of: ["queue_signal_live", "id"] },
  sweep_awaited_jobs: { everyMs: 30_000, batch: 500 },
  sweep_callbacks: { everyMs: 1_000, batch: 500 },
  sweep_signal_queues: { everyMs: 1_000, batch: 500, of: ["queues", "id"] },
} as const satisfies Record<string, Clock>;
export type SweepName = keyof typeof sweeps;
export const sweepNames = Object.keys(sweeps) as SweepName[]; // its own keys

export type SweepParts = { readonly db: Db; readonly wakes: Wakes; readonly log: Log };

/**
 * Acts once on everything that is due for one clock, batch after batch; returns the number of rows. A batch that the
 * database refuses is tried in halves, and the row at fault is skipped, so that the clocks of all others go on.
 */
export async function sweep(parts: SweepParts, name: SweepName): Promise<number> {
  const { batch } = sweeps[name];
  let [total, most] = [0, batch as number];
  for (;;) {
    const due = await sweepSome(parts, name, most).catch(async (error: unknown) => {
      if (!isRefusal(error)) throw error;
      if (most === 1) await setAside(parts, name, error);
      return undefined;
    });
    if (due !== undefined) total += due;
    if (due !== undefined && due < most) return total;
    most = due === undefined && most > 1 ? Math.ceil(most / 2) : batch;
  }
}

async function sweepSome({ db, wakes }: SweepParts, name: SweepName, most: number) {
  const [row] = await db<SweptRow[]>`select * from ${db(name)}(${most})`;
  if (row === undefined || row.due === 0) return 0;
  wakes.notify([
    ...parseQueueKeys(row.wakes ?? []).map(({ runnerId }) => topics.queue(runnerId)),
    ...(row.org_ids ?? []).map(topics.org),
    ...(row.process_ids ?? []).map((id) => topics.process(id)),
    ...(row.queue_ids ?? []).map((id) => topics.signals(id)),
  ]);
  return row.due;
}

/** A due row that cannot be acted on is tried again in a minute. */
async function setAside({ db, log }: SweepParts, name: SweepName, error: unknown): Promise<void> {
  const clock: Clock = sweeps[name];
  if (clock.of === undefined) throw error;
  const [table, key] = clock.of.map((word) => db(word));
  if (table === undefined || key === undefined) throw error;
  const [row] = await db<{ id: string }[]>`
    update ${table} set deadline_at = svc_now() + interval '1 minute'
     where ${key} = (select ${key} from ${table} where deadline_at <= svc_now() order by deadline_at limit 1)
    returning ${key} as id`;
  if (row === undefined) throw error;
  log.error(
    { err: error, clock: name, id: row.id },
    "sweep skipped a row that cannot be processed",
  );
}

/** Marks that a broker is running; returns the database's time. */
async function markListening(db: Db): Promise<Date> {
  const [row] = await db<{ now: Date }[]>`select mark_listening(), svc_now() as now`;
  if (row === undefined) throw new Error("mark_listening answered nothing");
  return row.now;
}

export type Clockwork = { readonly stop: () => Promise<void> };

type ClockParts = SweepParts & {
  /** Corrected at every mark. */
  readonly clock: DatabaseClock;
  /** Called after each turn of a clock with the number of due rows. */
  readonly onDue: (name: SweepName, due: number) => void;
};

/**
 * Sweeps for ever, on every broker: rows that another broker has locked are skipped or found done. A sweep
 * that fails is tried again at its next turn.
 */
export function startClocks({ db, clock, wakes, log, onDue }: ClockParts): Clockwork {
  const stopped = new AbortController();
  const loop: Loop = { signal: stopped.signal, log };
  const loops = [
    ...sweepNames.map((name) =>
      repeat(loop, name, sweeps[name].everyMs, async () => {
        onDue(name, await sweep({ db, wakes, log }, name));
      }),
    ),
    repeat(loop, "mark_listening", 5_000, () => clock.learn(() => markListening(db))),
  ];
  return {
    stop: async () => {
      stopped.abort();
      await Promise.all(loops);
    },
  };
}

import type { Db } from "../database/connect.ts";
import type { Log } from "../log.ts";
import { parseQueueKeys } from "../queues/queue-key.ts";
import { topics, type Wakes } from "../wake/wakes.ts";
import { type Loop, repeat } from "./repeat.ts";

type SweptRow = { due: number; wakes: string[]; org_ids: string[]; process_ids: string[] };

/** The clocks: which function of the database acts on what is due, how often, and how much at once. */
const sweeps = {
  sweep_jobs: { everyMs: 200, batch: 1_000 },
  sweep_stopping: { everyMs: 500, batch: 500 },
  sweep_processes: { everyMs: 1_000, batch: 500 },
  sweep_shutdowns: { everyMs: 1_000, batch: 100 },
  sweep_pauses: { everyMs: 1_000, batch: 100 },
  sweep_queues: { everyMs: 5_000, batch: 500 },
} as const;
export type SweepName = keyof typeof sweeps;
export const sweepNames = Object.keys(sweeps) as SweepName[]; // its own keys

/** Acts once on everything that is due for one clock, batch after batch; answers how many rows that were. */
export async function sweep(db: Db, wakes: Wakes, name: SweepName): Promise<number> {
  const { batch } = sweeps[name];
  let total = 0;
  for (;;) {
    const [row] = await db<SweptRow[]>`select * from ${db(name)}(${batch})`;
    if (row === undefined || row.due === 0) return total;
    total += row.due;
    wakes.tell([
      ...parseQueueKeys(row.wakes).map(({ runnerId }) => topics.queue(runnerId)),
      ...row.org_ids.map((id) => topics.org(id)),
      ...row.process_ids.map((id) => topics.process(id)),
    ]);
    if (row.due < batch) return total;
  }
}

export type Clockwork = { readonly stop: () => Promise<void> };

type ClockParts = {
  readonly db: Db;
  readonly wakes: Wakes;
  readonly log: Log;
  /** Told after each turn of a clock how much was due. */
  readonly onDue: (name: SweepName, due: number) => void;
};

/**
 * Sweeps for ever, on every broker alike: rows that another broker is at are skipped or found done. A sweep
 * that fails is tried again at its next turn.
 */
export function startClocks({ db, wakes, log, onDue }: ClockParts): Clockwork {
  const stopped = new AbortController();
  const loop: Loop = { signal: stopped.signal, log };
  const loops = [
    ...sweepNames.map((name) =>
      repeat(loop, name, sweeps[name].everyMs, async () => {
        onDue(name, await sweep(db, wakes, name));
      }),
    ),
    repeat(loop, "mark_listening", 5_000, () => db`select mark_listening()`),
  ];
  return {
    stop: async () => {
      stopped.abort();
      await Promise.all(loops);
    },
  };
}

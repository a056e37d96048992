import { onTestFinished, vi } from "vitest";
import type { Db } from "../../../broker/database/connect.ts";

type ClockRow = { seconds: string; hasListening: boolean };
type Jump = {
  /** Processes that beat in the same instant: nobody ever sees them silent for so long. */
  readonly alive?: readonly string[];
};

/** The clock's own text in the database: it goes on by itself, or stands where it was put. */
const running = (seconds: string): string => `clock_timestamp() + interval '${seconds} seconds'`;
const standing = (seconds: string): string => `timestamptz 'epoch' + interval '${seconds} seconds'`;

/**
 * Moves one database's clock on, for every broker over it. The brokers' mark of having listened moves along
 * in the same transaction, so that the jump looks like time passing, not like brokers that were gone.
 */
export async function advanceClock(
  db: Db,
  interval: string,
  { alive = [] }: Jump = {},
): Promise<void> {
  const [clock] = await db<{ stands: boolean }[]>`
    select prosrc like '%epoch%' as stands from pg_proc where proname = 'svc_now'`;
  const stands = clock?.stands === true;
  const from = stands ? db`timestamptz 'epoch'` : db`clock_timestamp()`;
  const [row] = await db<ClockRow[]>`
    select extract(epoch from svc_now() - ${from} + ${interval}::interval)::text as seconds,
           to_regclass('broker_listening') is not null as "hasListening"`;
  const now = (stands ? standing : running)(row?.seconds ?? "0");
  const hasListening = row?.hasListening === true;
  await db
    .unsafe(
      [
        // A broker that marks at this instant waits, and marks the new time: else it would seem to have been away.
        ...(hasListening ? ["lock table broker_listening in share row exclusive mode"] : []),
        clockOf(now),
        ...(hasListening ? ["update broker_listening set marked_at = svc_now()"] : []),
        ...alive.map(
          (id) =>
            `update runner_process_beats set last_seen_at = svc_now() where process_id = '${id}'`,
        ),
      ].join(";\n"),
    )
    .simple();
}

/** From now on time stands still but for advanceClock. */
export async function stopClock(db: Db): Promise<void> {
  const [row] = await db<{ seconds: string }[]>`
    select extract(epoch from svc_now())::text as seconds`;
  await db.unsafe(clockOf(standing(row?.seconds ?? "0"))).simple();
}

/** What brokers of this process remember grows no older from now on, until the test is over. */
export function stopMemoryClock(): void {
  const nowMs = performance.now();
  const stopped = vi.spyOn(performance, "now").mockReturnValue(nowMs);
  onTestFinished(() => stopped.mockRestore());
}

const clockOf = (now: string): string =>
  `create or replace function svc_now() returns timestamptz language sql volatile as 'select ${now.replaceAll("'", "''")}'`;

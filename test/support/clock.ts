import type { Db } from "../../broker/database/connect.ts";

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
  const marks = [
    ...(row?.hasListening === true ? ["update broker_listening set marked_at = svc_now()"] : []),
    ...alive.map(
      (id) => `update runner_process_beats set last_seen_at = svc_now() where process_id = '${id}'`,
    ),
  ];
  await setClock(db, (stands ? standing : running)(row?.seconds ?? "0"), marks);
}

/** Time stands still from now on but for advanceClock; for a database without a broker, whose loops need time. */
export async function stopClock(db: Db): Promise<void> {
  const [row] = await db<{ seconds: string }[]>`
    select extract(epoch from svc_now())::text as seconds`;
  await setClock(db, standing(row?.seconds ?? "0"));
}

/** One transaction. */
async function setClock(db: Db, now: string, marks: readonly string[] = []): Promise<void> {
  const quoted = now.replaceAll("'", "''");
  const made = `create or replace function svc_now() returns timestamptz language sql volatile as 'select ${quoted}'`;
  await db.unsafe([made, ...marks].join(";\n")).simple();
}

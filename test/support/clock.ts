import type { Db } from "../../broker/database/connect.ts";

type ClockRow = { offsetSeconds: string; hasListening: boolean };

/**
 * Moves one database's clock on, for every broker over it. The brokers' mark of having listened moves along
 * in the same transaction, so that the jump looks like time passing, not like brokers that were gone.
 */
export async function advanceClock(db: Db, interval: string): Promise<void> {
  const [row] = await db<ClockRow[]>`
    select extract(epoch from svc_now() - clock_timestamp() + ${interval}::interval)::text
             as "offsetSeconds",
           to_regclass('broker_listening') is not null as "hasListening"`;
  const offset = Number(row?.offsetSeconds);
  const mark =
    row?.hasListening === true ? "update broker_listening set marked_at = svc_now();" : "";
  await db
    .unsafe(
      `create or replace function svc_now() returns timestamptz language sql volatile
         as 'select clock_timestamp() + interval ''${offset} seconds''';
       ${mark}`,
    )
    .simple();
}

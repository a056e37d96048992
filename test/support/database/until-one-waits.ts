import type { Db } from "../../../broker/database/connect.ts";
import { until } from "../broker/given-polling.ts";

/** Resolves when somebody waits for a lock in this database. */
export async function untilOneWaits(db: Db): Promise<void> {
  await until(async () => {
    const [waiting] = await db<{ n: number }[]>`
      select count(*)::int as n from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`;
    return (waiting?.n ?? 0) > 0;
  });
}

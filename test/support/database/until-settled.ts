import type { Db } from "../../../broker/database/connect.ts";
import { until } from "../broker/given-polling.ts";

/**
 * Resolves when every transaction that has begun is over, other tests' databases included: one that is still open
 * holds back whatever counts as settled.
 */
export async function untilSettled(db: Db): Promise<void> {
  const [present] = await db<{ tx: string }[]>`
    select pg_snapshot_xmax(pg_current_snapshot())::text as tx`;
  await until(async () => {
    const [row] = await db<{ settled: boolean }[]>`
      select pg_snapshot_xmin(pg_current_snapshot()) >= ${present?.tx ?? ""}::xid8 as settled`;
    return row?.settled === true;
  });
}

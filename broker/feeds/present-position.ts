import type { Db } from "../database/connect.ts";
import type { FeedPosition } from "./feed-position.ts";

type SnapshotRow = { xmin: string; xmax: string };

/** The position after everything that is settled now. */
export async function findPresentPosition(db: Db): Promise<FeedPosition> {
  const { xmin } = await findSnapshot(db);
  return { tx: xmin, n: 0 };
}

/** Whether this database's transactions have come so far; a cursor of another database may lie ahead. */
export async function isReached(db: Db, { tx }: FeedPosition): Promise<boolean> {
  return tx <= (await findSnapshot(db)).xmax;
}

async function findSnapshot(db: Db): Promise<{ xmin: bigint; xmax: bigint }> {
  const [row] = await db<SnapshotRow[]>`
    select pg_snapshot_xmin(s)::text as xmin, pg_snapshot_xmax(s)::text as xmax
      from pg_current_snapshot() s`;
  if (row === undefined) throw new Error("the database told no snapshot");
  return { xmin: BigInt(row.xmin), xmax: BigInt(row.xmax) };
}

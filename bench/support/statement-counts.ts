import type { Db } from "../../broker/database/connect.ts";

/** What so many lives cost Postgres. */
export type Counts = { lives: number; records: number; buffers: number };

/** Nothing counted yet. */
export function noCounts(): Counts {
  return { lives: 0, records: 0, buffers: 0 };
}

/** Adds what was counted in between. */
export function addCounts(
  counts: Counts,
  { before, after, lives }: { before: Counts; after: Counts; lives: number },
): void {
  counts.lives += lives;
  counts.records += after.records - before.records;
  counts.buffers += after.buffers - before.buffers;
}

/** What Postgres counted for the statements of this database so far. */
export async function readCounts(db: Db): Promise<Counts> {
  const [row] = await db<Counts[]>`
    select 0 as lives, coalesce(sum(s.wal_records), 0)::float8 as records,
           coalesce(sum(s.shared_blks_hit + s.shared_blks_read), 0)::float8 as buffers
      from pg_stat_statements s join pg_database d on d.oid = s.dbid and d.datname = current_database()`;
  return row ?? noCounts();
}

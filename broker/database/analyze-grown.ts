import type { Db } from "./connect.ts";

/** From here on Postgres' own daemon is soon enough. */
const manyRows = 100_000;

/**
 * Has Postgres count tables of ours that have grown twofold since it counted them last; answers their names. To the planner an empty
 * table's indexes are all alike: until the first count it may read all that an org has to find one row by its id, and the daemon that
 * counts comes once a minute.
 */
export async function analyzeGrown(db: Db): Promise<string[]> {
  const grown = await db<{ name: string }[]>`
    select c.oid::regclass::text as name from pg_class c
     where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
       and c.reltuples < ${manyRows} and pg_stat_get_live_tuples(c.oid) >= greatest(100, 2 * c.reltuples)
     limit 20`;
  for (const { name } of grown) await db.unsafe(`analyze (skip_locked) ${name}`); // quoted by Postgres where it must be
  return grown.map(({ name }) => name);
}

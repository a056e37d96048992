import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Db } from "../../broker/database/connect.ts";
import type { BenchOptions } from "./bench.ts";

/** What Postgres is told so that it counts statements and the time of functions. Nothing when no profile is wanted. */
export function profiledSettings({ profileDir }: BenchOptions): Record<string, string> {
  if (profileDir === undefined) return {};
  return {
    shared_preload_libraries: "pg_stat_statements",
    track_functions: "all",
    "pg_stat_statements.track": "all",
  };
}

/** What the broker is told so that it leaves its CPU profile. */
export function profiledBroker({ profileDir }: BenchOptions): Record<string, string> {
  if (profileDir === undefined) return {};
  const options = `--cpu-prof --cpu-prof-dir=${path.resolve(profileDir)}`;
  return { NODE_OPTIONS: options };
}

/** Begins to count anew. */
export async function resetProfile(db: Db, { profileDir }: BenchOptions): Promise<void> {
  if (profileDir === undefined) return;
  await db`create extension if not exists pg_stat_statements`;
  await db`select pg_stat_statements_reset()`;
  await db`select pg_stat_reset()`;
}

/** Writes what was counted, the costliest first. */
export async function writeProfile(
  db: Db,
  { profileDir }: BenchOptions,
  name: string,
): Promise<void> {
  if (profileDir === undefined) return;
  await mkdir(profileDir, { recursive: true });
  const statements = await db`
    select s.toplevel, s.calls, round(total_exec_time)::int as total_ms, round(mean_exec_time::numeric, 3)::text as mean_ms,
           rows, shared_blks_hit, wal_records, wal_bytes::text, query
      from pg_stat_statements s join pg_database d on d.oid = s.dbid and d.datname = current_database()
     order by total_exec_time desc limit 80`;
  const functions = await db`
    select funcname, calls, round(total_time)::int as total_ms, round(self_time)::int as self_ms
      from pg_stat_user_functions order by self_time desc`;
  const text = JSON.stringify({ functions, statements }, null, 1);
  await writeFile(path.join(profileDir, `${name}.json`), text);
}

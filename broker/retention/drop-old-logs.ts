import type { Db } from "../database/connect.ts";
import { type Batches, deleteInBatches } from "./delete-in-batches.ts";

type Partition = { name: string; is_old: boolean; is_detached: boolean; is_half_detached: boolean };

const daysAhead = 2;

/**
 * Drops partitions of log chunks whose days have passed and creates those of coming days; returns how many were dropped.
 * Readers and writers do not wait: a partition is detached first, and dropped when nothing refers to it any more.
 */
export async function dropOldLogs(db: Db, days: number): Promise<number> {
  await db`
    select make_log_partition((svc_now() at time zone 'UTC')::date + n) from generate_series(0, ${daysAhead}::int) n`;
  const partitions = await listPartitions(db, days);
  const old = partitions.filter((one) => one.is_old);
  for (const { name, is_detached, is_half_detached } of old) {
    if (is_half_detached) await db`alter table log_chunks detach partition ${db(name)} finalize`;
    else if (!is_detached) {
      await db`alter table log_chunks detach partition ${db(name)} concurrently`;
    }
    await db`drop table if exists ${db(name)}`;
  }
  return old.length;
}

/** A partition that was detached before its broker died is found by its name. */
async function listPartitions(db: Db, days: number): Promise<Partition[]> {
  return db<Partition[]>`
    select c.relname::text as name,
           c.relname::text < log_partition_name((svc_now() at time zone 'UTC')::date - ${days}::int) as is_old,
           i.inhrelid is null as is_detached, coalesce(i.inhdetachpending, false) as is_half_detached
      from pg_class c
      left join pg_inherits i on i.inhrelid = c.oid and i.inhparent = 'log_chunks'::regclass
     where c.relkind = 'r' and c.relnamespace = (select p.relnamespace from pg_class p where p.oid = 'log_chunks'::regclass)
       and c.relname ~ '^log_chunks_[0-9]{8}$'
     order by 1`;
}

/**
 * Corrects the counts of streams after days of theirs were dropped, and deletes streams of which nothing is
 * left and to which nothing can come; answers how many.
 */
export async function deleteOldStreams(db: Db, days: number, batches: Batches): Promise<number> {
  await deleteInBatches(batches, async (limit) => {
    const counted = await db`
      with old as materialized (
        select s.org_id, s.id, s.last_day
          from log_streams s
         where s.first_day < (svc_now() at time zone 'UTC')::date - ${days}::int
           and (s.last_day >= (svc_now() at time zone 'UTC')::date - ${days}::int or s.records > 0)
         order by s.id limit ${limit} for no key update skip locked
      )
      update log_streams s
         set first_day = (svc_now() at time zone 'UTC')::date - ${days}::int,
             records = c.records, bytes = c.bytes, expired_before = coalesce(c.first_position, s.next_position)
        from old o
       cross join lateral (
         select coalesce(sum(k.records), 0) as records, coalesce(sum(k.bytes), 0) as bytes,
                min(k.position) as first_position
           from log_chunks k
          where k.stream_id = o.id and k.org_id = o.org_id
            and k.day between (svc_now() at time zone 'UTC')::date - ${days}::int and o.last_day) c
       where s.org_id = o.org_id and s.id = o.id`;
    return counted.count;
  });
  await db`delete from log_org_days where day < (svc_now() at time zone 'UTC')::date - ${days}::int`;
  return deleteEmptyStreams(db, days, batches);
}

async function deleteEmptyStreams(db: Db, days: number, batches: Batches): Promise<number> {
  let after = "";
  let total = 0;
  await deleteInBatches(batches, async (limit) => {
    const [row] = await db<{ seen: number; deleted: number; last: string | null }[]>`
      with walked as materialized (
        select s.org_id, s.id
          from log_streams s
         where s.id > ${after}
           and coalesce(s.last_day, (s.created_at at time zone 'UTC')::date)
               < (svc_now() at time zone 'UTC')::date - ${days}::int
         order by s.id limit ${limit}
      ), closed as (
        select f.org_id, f.id
          from find_log_streams(array(select w.org_id::text from walked w), array(select w.id::text from walked w)) f
         where not f.is_open
      ), gone as (
        delete from log_streams s using closed c where s.org_id = c.org_id and s.id = c.id returning s.id
      )
      select count(*)::int as seen, (select count(*) from gone)::int as deleted, max(w.id) as last from walked w`;
    after = row?.last ?? after;
    total += row?.deleted ?? 0;
    return row?.seen ?? 0;
  });
  return total;
}

import type { Db } from "../database/connect.ts";

type Partition = { name: string; is_detached: boolean; is_half_detached: boolean };

type Partitioned = {
  readonly table: string;
  /** What partitions are called after the table's name and a dash. */
  readonly suffix: string;
  /** The name of the first partition that is kept. */
  readonly firstKept: string;
};

/**
 * Drops months of the audit log whose last day is older than that, and creates the partitions of this month and the next; answers how
 * many were dropped.
 */
export async function dropOldAudit(db: Db, days: number): Promise<number> {
  await db`select make_audit_partition(svc_now() + n * interval '1 month') from generate_series(0, 1) n`;
  const [row] = await db<{ name: string }[]>`
    select audit_partition_name(svc_now() - make_interval(days => ${days})) as name`;
  const firstKept = row?.name ?? "";
  return await dropOld(db, { table: "audit_events", suffix: "[0-9]{6}", firstKept });
}

/** Drops days of attempts to deliver events that are older, and creates the partitions of today and tomorrow; answers how many were dropped. */
export async function dropOldAttempts(db: Db, days: number): Promise<number> {
  await db`
    select make_attempt_partition((svc_now() at time zone 'UTC')::date + n) from generate_series(0, 1) n`;
  const [row] = await db<{ name: string }[]>`
    select attempt_partition_name((svc_now() at time zone 'UTC')::date - ${days}::int) as name`;
  const firstKept = row?.name ?? "";
  return await dropOld(db, { table: "webhook_attempts", suffix: "[0-9]{8}", firstKept });
}

/** Readers and writers do not wait: a partition is detached first. */
async function dropOld(db: Db, partitioned: Partitioned): Promise<number> {
  const { table } = partitioned;
  const old = await listOldPartitions(db, partitioned);
  for (const { name, is_detached, is_half_detached } of old) {
    if (is_half_detached) {
      await db`alter table ${db(table)} detach partition ${db(name)} finalize`;
    } else if (!is_detached) {
      await db`alter table ${db(table)} detach partition ${db(name)} concurrently`;
    }
    await db`drop table if exists ${db(name)}`;
  }
  return old.length;
}

/** A partition that was detached before its broker died is found by its name. */
async function listOldPartitions(
  db: Db,
  { table, suffix, firstKept }: Partitioned,
): Promise<Partition[]> {
  return db<Partition[]>`
    select c.relname::text as name, i.inhrelid is null as is_detached, coalesce(i.inhdetachpending, false) as is_half_detached
      from pg_class c
      left join pg_inherits i on i.inhrelid = c.oid and i.inhparent = ${table}::regclass
     where c.relkind = 'r' and c.relnamespace = (select p.relnamespace from pg_class p where p.oid = ${table}::regclass)
       and c.relname ~ ${`^${table}_${suffix}$`}
       and c.relname::text < ${firstKept}
     order by 1`;
}

import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";

/** What is known of how a runner was: instants in milliseconds since 1970, everything in the order of time. */
export type RunnerHistory = {
  readonly runner_id: string;
  readonly status: string;
  readonly status_at: number;
  readonly created_at: number;
  /** A pause of its group, which no history has: since when it is. */
  readonly group_paused_at: number | null;
  readonly statuses: readonly {
    readonly at: number;
    readonly status: string;
    /** An entry of a pause, or of its end. */
    readonly paused: boolean | null;
    readonly until: number | null;
  }[];
  readonly processes: readonly {
    readonly statuses: readonly { readonly at: number; readonly status: string }[];
  }[];
  readonly shutdowns: readonly { readonly from: number; readonly to: number | null }[];
};

/** The newest entries that are read of a runner's and of a process's history, and its newest processes. What came before is unknown. */
const most = { ofRunner: 300, ofProcess: 30, processes: 10 };

/** How runners of an org were since an instant: in one statement, by look-ups alone. Unknown ids are left out. */
export async function listRunnerHistories(
  db: Db,
  org: OrgId,
  { ids, sinceMs }: { readonly ids: readonly string[]; readonly sinceMs: number },
): Promise<RunnerHistory[]> {
  const since = new Date(sinceMs);
  return db<RunnerHistory[]>`
    select u.id as runner_id, u.status, ${ms(db, "u.status_at")} as status_at, ${ms(db, "u.created_at")} as created_at,
           case when coalesce(g.paused_until > svc_now(), true) then ${ms(db, "g.paused_at")} end as group_paused_at,
           coalesce(s.statuses, '[]') as statuses, coalesce(p.processes, '[]') as processes,
           coalesce(d.shutdowns, '[]') as shutdowns
      from unnest(${ids}::text[]) with ordinality as i (id, n)
      join runners u on u.org_id = ${org} and u.id = i.id and u.lifecycle <> 'deleted'
      join runner_groups g on g.org_id = u.org_id and g.id = u.runner_group_id
     cross join lateral (
       select jsonb_agg(jsonb_build_object('at', ${ms(db, "h.at")}, 'status', h.status,
                                           'paused', h.metadata -> 'paused',
                                           'until', ${ms(db, "(h.metadata ->> 'until')::timestamptz")}) order by h.seq) as statuses
         from (${latest(db, "u.id", { since, limit: most.ofRunner })}) h) s
     cross join lateral (
       select jsonb_agg(jsonb_build_object('statuses', c.statuses)) as processes
         from (select p.id from runner_processes p
                where p.runner_id = u.id and (p.deadline_at is not null or p.status_at >= ${since})
                order by p.created_at desc limit ${most.processes}) p
        cross join lateral (
          select jsonb_agg(jsonb_build_object('at', ${ms(db, "h.at")}, 'status', h.status) order by h.seq) as statuses
            from (${latest(db, "p.id", { since, limit: most.ofProcess })}) h) c
        where c.statuses is not null) p
     cross join lateral (
       select jsonb_agg(jsonb_build_object('from', ${ms(db, "x.created_at")},
                                           'to', case when x.deadline_at is null then ${ms(db, "x.updated_at")} end)
                        order by x.created_at) as shutdowns
         from (select p.id from runner_processes p
                where p.runner_id = u.id and (p.deadline_at is not null or p.status_at >= ${since})
                order by p.created_at desc limit ${most.processes}) p
        cross join lateral (
          select * from runner_process_shutdowns x where x.runner_process_id = p.id
           order by x.created_at desc limit 3) x) d
     order by i.n`;
}

/**
 * The newest entries of an owner's history: those since an instant, and the one before, which lasted until then. Of a history with very
 * many entries since then, no more than these are looked at.
 */
function latest(
  db: Db,
  owner: "u.id" | "p.id",
  { since, limit }: { readonly since: Date; readonly limit: number },
) {
  const id = db.unsafe(owner);
  // Of a number that it sees, the planner may think that it is all there is, and sort the whole of a long history.
  const few = db`(select ${limit}::int)`;
  return db`
    select h.* from status_history h
     where h.owner_id = ${id} and h.org_id = u.org_id
       and h.seq >= coalesce((select f.seq
                                from (select n.seq, n.at from status_history n
                                       where n.owner_id = ${id} and n.org_id = u.org_id
                                       order by n.seq desc limit ${few}) f
                               where f.at < ${since} order by f.seq desc limit 1), 0)
     order by h.seq desc limit ${few}`;
}

function ms(db: Db, column: string) {
  return db.unsafe(`(extract(epoch from ${column}) * 1000)::float8`);
}

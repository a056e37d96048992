import type postgres from "postgres";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";

/** The facts of a process that decide whether it could take the job. */
type ProcessFact = {
  readonly id: string;
  readonly status: string;
  readonly is_leaving: boolean;
  readonly must_register_anew: boolean;
  /** Why it takes no jobs at present, in its own words. */
  readonly takes_no_jobs: string | null;
  readonly serves: readonly string[];
  readonly silent_s: number;
};
type HolderFact = { readonly job_id: string; readonly status: string; readonly since_s: number };
type StoppingFact = {
  readonly job_id: string;
  readonly type: string;
  readonly reason: string;
  readonly left_s: number;
};
/** The management job that changes the agent now. */
type UpdateFact = {
  readonly job_id: string;
  readonly type: string;
  readonly version: string | null;
  readonly since_s: number;
};
export type PauseFact = {
  readonly until: string | null;
  readonly note: string | null;
  readonly by: string | null;
};

/** All facts that decide whether a waiting job can start, read in one snapshot; durations are in seconds by the database's clock. */
export type WaitingFacts = {
  readonly status: "queued" | "available";
  readonly has_slot: boolean;
  readonly withdrawals: number;
  readonly left_s: number;
  readonly available_timeout: number;
  readonly runner_id: string;
  readonly runner_name: string;
  readonly job_group: string;
  readonly held: string | null;
  readonly slots: number;
  readonly in_use: number;
  readonly offered: number;
  readonly parallelism: number;
  readonly runner_pause: PauseFact;
  readonly group_pause: PauseFact;
  readonly blocked_by: string | null;
  readonly blocked_s: number | null;
  readonly before: number;
  readonly processes: readonly ProcessFact[];
  readonly holders: readonly HolderFact[];
  readonly stopping: readonly StoppingFact[];
  readonly update: UpdateFact | null;
};

/** The most waiting jobs that are counted. */
export const mostCounted = 10_000;
const mostShown = 5;

/** The facts of a waiting job; undefined when it is not waiting. */
export async function findWaitingFacts(
  db: Db,
  org: OrgId,
  jobId: string,
): Promise<WaitingFacts | undefined> {
  const [row] = await db<WaitingFacts[]>`
    select l.status, l.has_slot, l.withdrawals, l.available_timeout, l.runner_id, l.job_group, l.blocked_by,
           extract(epoch from l.deadline_at - t.now)::float8 as left_s, u.name as runner_name,
           q.held, q.slots, q.in_use, q.offered, q.parallelism,
           ${pause(db, "u")} as runner_pause, ${pause(db, "g")} as group_pause,
           (select extract(epoch from s.gone_by - t.now)::float8 from stopping_executions s
             where s.execution_id = l.blocked_by) as blocked_s,
           (select count(*)::int from (
              select from runner_job_live o
               where o.runner_id = l.runner_id and o.job_group = l.job_group and not o.has_slot
                 and (o.withdrawals, o.created_at, o.id) < (l.withdrawals, l.created_at, l.id)
               limit ${mostCounted}) o) as before,
           ${processes(db)} as processes, ${holders(db)} as holders, ${stopping(db)} as stopping,
           ${update(db)} as update
      from runner_job_live l
      join runners u on u.id = l.runner_id
      join runner_groups g on g.id = u.runner_group_id
      join runner_queues q on q.runner_id = l.runner_id and q.job_group = l.job_group
     cross join lateral (select svc_now() as now) t
     where l.org_id = ${org} and l.id = ${jobId} and l.status <> 'in-progress'`;
  return row;
}

function pause(db: Db, owner: "u" | "g") {
  const row = db(owner);
  return db`
    json_build_object('until', to_char(${row}.paused_until, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                      'note', ${row}.paused_note, 'by', ${row}.paused_by_id)`;
}

/** The last five processes: older ones tell nothing new. */
function processes(db: Db) {
  return db`
    coalesce((
      select json_agg(json_build_object(
               'id', p.id, 'status', p.status, 'is_leaving', p.draining is not null or p.going_away_at is not null,
               'must_register_anew', p.must_register_anew, 'takes_no_jobs', p.takes_no_jobs,
               'silent_s', extract(epoch from t.now - coalesce(b.last_seen_at, p.created_at)),
               'serves', coalesce((select json_agg(k order by k) from jsonb_object_keys(p.serves) k),
                                  (select to_json(s.groups) from runner_group_settings s
                                    where s.runner_group_id = u.runner_group_id))))
        from (select p.* from runner_processes p where p.runner_id = l.runner_id
               order by p.status in ('pending', 'active') desc, p.created_at desc limit ${mostShown}) p
        left join runner_process_beats b on b.process_id = p.id), '[]')`;
}

/** Jobs that have the slots: those in progress and those on offer, which each have an index. */
function holders(db: Db) {
  return db`
    coalesce((
      select json_agg(json_build_object('job_id', h.id, 'status', h.status,
                                        'since_s', extract(epoch from t.now - h.status_at)))
        from (${holdersWho(db, db`h.status = 'in-progress'`)} union all
              ${holdersWho(db, db`h.status = 'available' and h.has_slot`)}
               order by 2 desc, 3 limit ${mostShown}) h), '[]')`;
}

function holdersWho(db: Db, are: postgres.Fragment) {
  return db`
    (select h.id, h.status, h.status_at from runner_job_live h
      where h.runner_id = l.runner_id and h.job_group = l.job_group and ${are} and h.id <> l.id
      order by h.status_at limit ${mostShown})`;
}

/** Stopping executions, which may still run. */
function stopping(db: Db) {
  return db`
    coalesce((
      select json_agg(json_build_object('job_id', s.runner_job_id, 'type', j.type, 'reason', s.reason,
                                        'left_s', extract(epoch from s.slot_until - t.now)))
        from (select s.* from stopping_executions s
               where s.runner_id = l.runner_id and s.job_group = l.job_group and s.holds_slot
               order by s.slot_until limit ${mostShown}) s
        join runner_jobs j on j.org_id = s.org_id and j.id = s.runner_job_id), '[]')`;
}

/** What the management process of the host does with the agent. */
function update(db: Db) {
  return db`
    (select json_build_object('job_id', m.id, 'type', j.type, 'since_s', extract(epoch from t.now - m.status_at),
                              'version', coalesce(j.metadata ->> 'version', j.metadata ->> 'image'))
       from runner_job_live m join runner_jobs j on j.id = m.id
      where m.runner_id = l.runner_id and m.status = 'in-progress'
        and j.type in ('mng-runner-update-version', 'mng-runner-restart')
      limit 1)`;
}

import type { NewRunner, RunnerChanges, RunnerFilters } from "../../shared/api/runners.ts";
import type { Db } from "../database/connect.ts";
import type { ListRequest } from "../database/page-request.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Bound } from "../tokens/bound/bound.ts";
import { boundTo } from "../tokens/bound/within.ts";
import type { RunnerChange } from "./notify-change.ts";
import type { RunnerOperationRow, RunnerQueueRow, RunnerRow } from "./row.ts";

/** A runner that is not deleted. */
export type LivingRunner = RunnerRow & {
  readonly lifecycle: Exclude<RunnerRow["lifecycle"], "deleted">;
  readonly runner_group_name: string;
  readonly install_id: string | null;
};

type Sorted = { readonly sort_key: string };

/** A queue with what of its slots is in use for what. */
export type QueueWithUse = RunnerQueueRow & {
  readonly in_progress: number;
  readonly stopping: number;
};

/** The processes of a runner in short: those that beat, their versions, and when one was last heard of. */
export type ProcessSummary = {
  readonly runner_id: string;
  readonly live: number;
  readonly versions: string[];
  /** Of those that take jobs: not of processes that manage a host. */
  readonly serving_versions: string[];
  readonly last_seen_at: Date | null;
};

/** Writes a runner with its queues: created, no-group or name-taken. */
export async function insertRunner(
  db: Db,
  org: OrgId,
  runner: NewRunner & {
    readonly id: string;
    readonly operationId: string;
    readonly actorId: string;
  },
): Promise<string> {
  const [row] = await db<{ outcome: string }[]>`
    select create_runner(${org}, ${runner.id}, ${runner.runner_group_id}, ${runner.name}, ${runner.display_name},
                         ${runner.operationId}, ${runner.actorId}) as outcome`;
  return row?.outcome ?? "no-group";
}

/** A runner that is not deleted. */
export async function findRunner(
  db: Db,
  org: OrgId,
  id: string,
): Promise<LivingRunner | undefined> {
  const [row] = await db<LivingRunner[]>`
    select ${runnerColumns(db)} from runners u
     where u.org_id = ${org} and u.id = ${id} and u.lifecycle <> 'deleted'`;
  return row;
}

/** Runners that pass the filters, the newest first. */
export async function listRunners(
  db: Db,
  org: OrgId,
  {
    filters,
    bound,
    after,
    limit,
    offset,
  }: ListRequest & { readonly filters: RunnerFilters; readonly bound?: Bound | null },
): Promise<(LivingRunner & Sorted)[]> {
  return db<(LivingRunner & Sorted)[]>`
    select ${runnerColumns(db)}, u.created_at::text as sort_key from runners u
     where u.org_id = ${org} and u.lifecycle <> 'deleted' ${boundTo(db, "runners", bound)}
       ${after === undefined ? db`` : db`and (u.created_at, u.id) < (${after.sortKey}::text::timestamptz, ${after.id})`}
       ${filters.runner_group_id === undefined ? db`` : db`and u.runner_group_id = ${filters.runner_group_id}`}
       ${filters.status === undefined ? db`` : db`and u.status = ${filters.status}`}
       ${filters.lifecycle === undefined ? db`` : db`and u.lifecycle = ${filters.lifecycle}`}
       ${filters.name === undefined ? db`` : db`and u.name = ${filters.name}`}
     order by u.created_at desc, u.id desc limit ${limit} offset ${offset}`;
}

/** An ordered restart counts as requested until its process is gone; `exists` could be planned as a walk over all processes. */
function runnerColumns(db: Db) {
  return db`
    u.id, u.org_id, u.runner_group_id, u.name, u.display_name, u.lifecycle, u.status, u.status_description,
    u.status_at, u.warnings, u.paused_at, u.paused_until, u.paused_note, u.paused_by_id, u.version, u.created_at,
    u.updated_at, u.created_by_id,
    (select g.name from runner_groups g where g.org_id = u.org_id and g.id = u.runner_group_id) as runner_group_name,
    (select i.id from installs i where i.runner_group_id = u.runner_group_id and i.deleted_at is null) as install_id,
    u.restart_requested or coalesce((
      select true from runner_processes p
       where p.runner_id = u.id and p.draining = 'restart' and p.deadline_at is not null limit 1
    ), false) as restart_requested`;
}

/** Writes the given columns; false when there is no such runner. A taken name violates `runners_name`. */
export async function updateRunnerColumns(
  db: Db,
  org: OrgId,
  { id, changes }: { readonly id: string; readonly changes: RunnerChanges },
): Promise<boolean> {
  const { name = null, display_name = null } = changes;
  const isOther = db`
    (u.name, u.display_name) is distinct from (coalesce(${name}, u.name), coalesce(${display_name}, u.display_name))`;
  const rows = await db`
    update runners u
       set name = coalesce(${name}, u.name), display_name = coalesce(${display_name}, u.display_name),
           version = u.version + (${isOther})::int, updated_at = case when ${isOther} then svc_now() else u.updated_at end
     where u.org_id = ${org} and u.id = ${id} and u.lifecycle <> 'deleted'
    returning u.id`;
  return rows.length > 0;
}

/** Changes a runner's lifecycle and all that follows: done, unchanged, not-found, busy or deprovisioned. */
export async function writeLifecycle(
  db: Db,
  org: OrgId,
  to: {
    readonly id: string;
    readonly lifecycle: RunnerRow["lifecycle"];
    readonly operationId: string;
    readonly actorId: string;
  },
): Promise<RunnerChange | undefined> {
  const [row] = await db<RunnerChange[]>`
    select * from set_runner_lifecycle(${org}, ${to.id}, ${to.lifecycle}, ${to.operationId}, ${to.actorId})`;
  return row;
}

/** Pauses or resumes a runner or a group: done, unchanged, past or far. */
export async function writePause(
  db: Db,
  org: OrgId,
  to: {
    readonly id: string;
    /** null: resume. */
    readonly pause: object | null;
    readonly note: string;
    readonly actorId: string;
  },
): Promise<RunnerChange | undefined> {
  const pause = to.pause === null ? null : JSON.stringify(to.pause);
  const [row] = await db<RunnerChange[]>`
    select * from set_pause(${org}, ${to.id}, ${pause}::text::jsonb, ${to.note}, ${to.actorId})`;
  return row;
}

/** The queues of runners, with what uses their slots. */
export async function listRunnerQueues(
  db: Db,
  org: OrgId,
  runnerIds: readonly string[],
): Promise<QueueWithUse[]> {
  return db<QueueWithUse[]>`
    with running as (
      select l.runner_id, l.job_group, count(*)::int as n from runner_job_live l
       where l.runner_id = any(${runnerIds}) and l.status = 'in-progress' group by 1, 2
    ), stopping as (
      select s.runner_id, s.job_group, count(*)::int as n from stopping_executions s
       where s.runner_id = any(${runnerIds}) and s.holds_slot group by 1, 2
    )
    select q.*, coalesce(r.n, 0) as in_progress, coalesce(s.n, 0) as stopping
      from runner_queues q
      left join running r using (runner_id, job_group)
      left join stopping s using (runner_id, job_group)
     where q.org_id = ${org} and q.runner_id = any(${runnerIds})`;
}

/** The processes of each of these runners, in short: by the index of those alive, and by the newest one. */
export async function summarizeProcesses(
  db: Db,
  org: OrgId,
  runnerIds: readonly string[],
): Promise<ProcessSummary[]> {
  return db<ProcessSummary[]>`
    select r.id as runner_id, a.live, coalesce(a.versions, '{}') as versions,
           coalesce(a.serving_versions, '{}') as serving_versions,
           greatest(a.last_seen_at, n.last_seen_at) as last_seen_at
      from unnest(${runnerIds}::text[]) r (id)
     cross join lateral (
       select count(*) filter (where p.status in ('active', 'pending-shutdown', 'shutting-down'))::int as live,
              (array_agg(distinct p.version::text) filter (where p.version <> '' and p.status <> 'offline'))[1:5] as versions,
              (array_agg(distinct p.version::text) filter (where p.version <> '' and p.status <> 'offline'
                                                           and p.type <> 'mng'))[1:5] as serving_versions,
              max(w.last_seen_at) as last_seen_at
         from runner_processes p join runner_process_beats w on w.process_id = p.id
        where p.runner_id = r.id and p.org_id = ${org} and p.deadline_at is not null) a
      left join lateral (
        select w.last_seen_at from runner_processes p join runner_process_beats w on w.process_id = p.id
         where p.runner_id = r.id and p.org_id = ${org} order by p.created_at desc limit 1) n on true`;
}

/** The latest ten operations of each runner, newest first. */
export async function listRunnerOperations(
  db: Db,
  org: OrgId,
  runnerIds: readonly string[],
): Promise<RunnerOperationRow[]> {
  return db<RunnerOperationRow[]>`
    select o.*
      from unnest(${runnerIds}::text[]) r (id)
     cross join lateral (select * from runner_operations o
                          where o.runner_id = r.id and o.org_id = ${org} order by o.id desc limit 10) o`;
}

/** The ids of the live processes of a group's runners. */
export async function listLiveProcesses(db: Db, org: OrgId, groupId: string): Promise<string[]> {
  const [row] = await db<{ ids: string[] }[]>`
    select live_processes(array(select u.id from runners u
                                 where u.org_id = ${org} and u.runner_group_id = ${groupId})) as ids`;
  return row?.ids ?? [];
}

/** How many live processes a runner has, of any type, and the time of the last heartbeat. */
export async function countLiveProcesses(
  db: Db,
  org: OrgId,
  runnerId: string,
): Promise<{ live: number; latestBeatAt: Date | null }> {
  const [row] = await db<{ live: number; latest: Date | null }[]>`
    select count(*) filter (where p.status in ('active', 'pending-shutdown', 'shutting-down'))::int as live,
           max(w.last_beat_at) as latest
      from runner_processes p join runner_process_beats w on w.process_id = p.id
     where p.org_id = ${org} and p.runner_id = ${runnerId}`;
  return { live: row?.live ?? 0, latestBeatAt: row?.latest ?? null };
}

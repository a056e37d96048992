import type { RunnerProcessType } from "../../shared/process-groups.ts";
import type { ProcessStatus } from "../../shared/runner-process.ts";
import type { Db } from "../database/connect.ts";
import type { ListRequest } from "../database/page-request.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { NamedProcess } from "./beat-processes.ts";
import type { ProcessRow, ProcessShutdownRow } from "./row.ts";

/** The most shutdown records that are shown of one process. */
const shownShutdowns = 10;

/** The process. */
export async function findProcess(
  db: Db,
  { orgId, runnerId, processId }: NamedProcess,
): Promise<ProcessRow | undefined> {
  const [row] = await db<ProcessRow[]>`
    select ${processColumns(db)}
      from runner_processes p join runner_process_beats w on w.process_id = p.id
     where p.org_id = ${orgId} and p.runner_id = ${runnerId} and p.id = ${processId}`;
  return row;
}

/** A runner's processes that pass the filters, the newest first. */
export async function listProcesses(
  db: Db,
  org: OrgId,
  {
    runnerId,
    type,
    status,
    isAlive,
  }: {
    readonly runnerId: string;
    readonly type?: RunnerProcessType | undefined;
    readonly status?: ProcessStatus | undefined;
    readonly isAlive?: boolean | undefined;
  },
  page: ListRequest,
): Promise<(ProcessRow & { sort_key: string })[]> {
  const whose = isAlive === true ? db`and p.deadline_at is not null` : db``; // by its index, whoever ended
  return db<(ProcessRow & { sort_key: string })[]>`
    select ${processColumns(db)}, p.created_at::text as sort_key
      from runner_processes p join runner_process_beats w on w.process_id = p.id
     where p.org_id = ${org} and p.runner_id = ${runnerId} ${whose}
       and (${isAlive !== false} or p.deadline_at is null)
       and (${type === undefined} or p.type = ${type ?? null})
       and (${status === undefined} or p.status = ${status ?? null})
       and (${page.after === undefined}
            or (p.created_at, p.id) < (${page.after?.sortKey ?? "infinity"}::text::timestamptz, ${page.after?.id ?? ""}))
     order by p.created_at desc, p.id desc
     limit ${page.limit} offset ${page.offset}`;
}

function processColumns(db: Db) {
  return db`
    p.id, p.org_id, p.runner_id, p.type, p.version, p.is_ours, p.serves, p.status, p.status_description, p.status_at,
    p.draining, p.going_away_at, p.must_register_anew, p.takes_no_jobs, p.taken_over_by, p.started_at, p.first_beat_at, p.deadline_at,
    p.created_at, p.updated_at, p.next_restart_at, p.previous_restart_at, w.last_seen_at, svc_now() as read_at`;
}

/**
 * The processes of a runner that can still be shut down: alive, or silent for less than five minutes. Not the one that manages
 * its host: without it, nobody could start the others again.
 */
export async function listLiveProcessIds(db: Db, org: OrgId, runnerId: string): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select id from runner_processes
     where org_id = ${org} and runner_id = ${runnerId} and status not in ('inactive', 'shut-down') and type <> 'mng'
     order by id`;
  return rows.map(({ id }) => id);
}

/**
 * The third-party process that a heartbeat without a process id belongs to: the one that such a heartbeat registered, unless
 * it has shut down, else the latest live one.
 */
export async function findBeatingProcessId(
  db: Db,
  org: OrgId,
  runnerId: string,
  type: string,
): Promise<string | undefined> {
  const [row] = await db<{ id: string }[]>`
    select id from runner_processes
     where org_id = ${org} and runner_id = ${runnerId} and type = ${type} and not is_ours
       and status <> 'shut-down' and (by_beat or status <> 'inactive')
     order by by_beat desc, created_at desc, id desc limit 1`;
  return row?.id;
}

/** The latest shutdown records of each process, newest first. */
export async function listShutdowns(
  db: Db,
  org: OrgId,
  processIds: readonly string[],
): Promise<ProcessShutdownRow[]> {
  return db<ProcessShutdownRow[]>`
    select d.*, ${jobsOf(db)} as jobs
      from unnest(${[...processIds]}::text[]) p (id)
     cross join lateral (select * from runner_process_shutdowns d
                          where d.runner_process_id = p.id and d.org_id = ${org}
                          order by d.created_at desc, d.id desc limit ${shownShutdowns}) d`;
}

/** These shutdown records, in the order of the processes. */
export async function findShutdowns(
  db: Db,
  org: OrgId,
  ids: readonly string[],
): Promise<ProcessShutdownRow[]> {
  return db<ProcessShutdownRow[]>`
    select d.*, ${jobsOf(db)} as jobs from runner_process_shutdowns d
     where d.org_id = ${org} and d.id = any(${[...ids]}) order by d.runner_process_id, d.id`;
}

/** Of the jobs of a shutdown: how the attempts that the process worked on went on. */
function jobsOf(db: Db) {
  return db`
    (select jsonb_build_object(
              'running', count(*) filter (where e.finished_at is null),
              'finished', count(*) filter (where e.status = 'finished'),
              'stopped', count(*) filter (where e.status = 'failed' and e.status_description ^@ 'shut down by an operator'),
              'failed', count(*) filter (where e.status = 'timed-out'
                                            or e.status = 'failed' and not e.status_description ^@ 'shut down by an operator'),
              'cancelled', count(*) filter (where e.status = 'cancelled'),
              'not_attempted', count(*) filter (where e.status = 'not-attempted'))
       from runner_job_executions e where e.org_id = d.org_id and e.id = any(d.execution_ids))`;
}

import type postgres from "postgres";
import { isFinal, type RunnerJobStatus } from "../../shared/runner-job.ts";
import type { Db } from "../database/connect.ts";
import { leastId } from "../database/new-id.ts";
import type { ListRequest } from "../database/page-request.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { boundTo } from "../tokens/bound/within.ts";
import type { JobFilter } from "./job-filter.ts";
import { openIds } from "./open-ids.ts";
import { jobColumns, jobState } from "./queries.ts";
import type { JobRow } from "./row.ts";

/** How far the clock that ids are made by may be from the database's. */
const skewMs = 24 * 3600 * 1000;

/** A page of the org's jobs, newest first. Ids begin with their time: they are the order. */
export async function listJobs(
  db: Db,
  org: OrgId,
  filter: JobFilter,
  { after, limit, offset }: ListRequest,
): Promise<(JobRow & { sort_key: string })[]> {
  return db<(JobRow & { sort_key: string })[]>`
    with page as materialized ( -- what is shown of a job is looked up for these alone
      ${matchingIds(db, org, filter)} ${after === undefined ? db`` : db`and j.id < ${after.id}`}
       order by j.id desc limit ${limit} offset ${offset}
    )
    select ${jobColumns(db)}, j.created_at::text as sort_key
      from page p join runner_jobs j on j.org_id = ${org} and j.id = p.id ${jobState(db)}
     order by j.id desc`;
}

/** A runner's jobs as its own clients read them, oldest first. */
export async function listRunnerJobs(
  db: Db,
  org: OrgId,
  filter: JobFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<JobRow[]> {
  const open = openIds(db, org, filter); // by themselves: by their order, all that ended would be read before
  const page =
    open === undefined ? matchingIds(db, org, filter) : db`select j.id from (${open} offset 0) j`;
  return db<JobRow[]>`
    with page as materialized (${page} order by j.id limit ${limit} offset ${offset})
    select ${jobColumns(db)} from page p join runner_jobs j on j.org_id = ${org} and j.id = p.id ${jobState(db)}
     order by j.id`;
}

/** The same of those that can be claimed now, in the order in which they are handed out. */
export async function listClaimableJobs(
  db: Db,
  org: OrgId,
  filter: JobFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<JobRow[]> {
  return db<JobRow[]>`
    select ${jobColumns(db)} from runner_jobs j ${jobState(db)}
     where j.org_id = ${org} ${conditions(db, filter)}
           and l.runner_id = j.runner_id and l.status = 'available' and l.has_slot
     order by l.withdrawals, l.created_at, l.id limit ${limit} offset ${offset}`;
}

/** How many jobs these filters leave, counted no further than `most`. */
export async function countJobs(
  db: Db,
  org: OrgId,
  filter: JobFilter,
  most: number,
): Promise<{ readonly count: number; readonly countedAt: Date }> {
  const [row] = await db<{ count: number; at: Date }[]>`
    select count(*)::int as count, date_trunc('milliseconds', svc_now()) + interval '1 ms' as at
      from (${openIds(db, org, filter) ?? matchingIds(db, org, filter)} limit ${most}) c`;
  if (row === undefined) throw new Error("a count answered no row");
  return { count: row.count, countedAt: row.at };
}

/** The ids of jobs that these filters leave, the newest first. */
export async function listMatchingIds(
  db: Db,
  org: OrgId,
  filter: JobFilter,
  { before, limit }: { readonly before: string | undefined; readonly limit: number },
): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    ${matchingIds(db, org, filter)} ${before === undefined ? db`` : db`and j.id < ${before}`}
     order by j.id desc limit ${limit}`;
  return rows.map(({ id }) => id);
}

/** The ids of the jobs that these filters leave, in no order: whoever takes them says how many. */
export function matchingIds(db: Db, org: OrgId, filter: JobFilter): postgres.Fragment {
  return db`
    select j.id from runner_jobs j ${statusJoins(db, filter.statuses)}
     where j.org_id = ${org} ${conditions(db, filter)}`;
}

/** Only what the statuses are looked for among: a join that is not needed can still make a plan that walks its table. */
function statusJoins(db: Db, statuses: readonly RunnerJobStatus[] | undefined) {
  if (statuses === undefined) return db``;
  const live = db`left join runner_job_live l on l.id = j.id`;
  const ends = db`left join runner_job_ends d on d.runner_job_id = j.id`;
  if (statuses.every(isFinal)) return ends;
  return statuses.some(isFinal) ? db`${live} ${ends}` : live;
}

/** Ids begin with their time: they bound what an instant alone would search for row by row. */
function conditions(db: Db, filter: JobFilter) {
  const { runnerId, group, groups, type, ownerId, ownerType, createdAfter, createdBefore } = filter;
  const after = createdAfter && leastId("job", createdAfter.getTime() - skewMs);
  const before = createdBefore && leastId("job", createdBefore.getTime() + skewMs);
  return db`
    ${boundTo(db, "runner_jobs", filter.bound)}
    ${filter.leavesOutInstalls === true ? ofNoInstall(db) : db``}
    ${runnerId === undefined ? db`` : db`and j.runner_id = ${runnerId}`}
    ${statusCondition(db, filter)}
    ${group === undefined ? db`` : db`and j.job_group = ${group}`}
    ${groups === undefined ? db`` : db`and j.job_group = any(${[...groups]})`}
    ${type === undefined ? db`` : db`and j.type = ${type}`}
    ${ownerId === undefined ? db`` : db`and j.owner_id = ${ownerId}`}
    ${ownerType === undefined ? db`` : db`and j.owner_type = ${ownerType}`}
    ${createdAfter && after ? db`and j.created_at > ${createdAfter} and j.id >= ${after}` : db``}
    ${createdBefore && before ? db`and j.created_at < ${createdBefore} and j.id < ${before}` : db``}`;
}

function ofNoInstall(db: Db) {
  return db`
    and j.workflow_id is null and not exists (
      select from runners ru join installs i on i.runner_group_id = ru.runner_group_id and i.deleted_at is null
       where ru.org_id = j.org_id and ru.id = j.runner_id)`;
}

/**
 * Open statuses are looked for among the live, final ones among the ended: each has its index. What is said twice of a job (its org,
 * its runner) lets the planner begin in either table; said without need, it takes the join for a rare one.
 */
function statusCondition(db: Db, { statuses, runnerId }: JobFilter) {
  if (statuses === undefined) return db``;
  if (statuses.length === 0) return db`and false`;
  if (statuses.every(isFinal))
    return db`and d.org_id = j.org_id and d.status = any(${[...statuses]})`;
  if (statuses.some(isFinal)) return db`and coalesce(l.status, d.status) = any(${[...statuses]})`;
  const sameRunner = runnerId === undefined ? db`` : db`and l.runner_id = j.runner_id`;
  return db`and l.org_id = j.org_id ${sameRunner} and l.status = any(${[...statuses]})`;
}

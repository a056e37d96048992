import type { RunnerJobGroup, RunnerJobType } from "../../shared/runner-job-types.ts";
import { isFinal, type RunnerJobStatus } from "../../shared/runner-job.ts";
import type { Db } from "../database/connect.ts";
import { leastId } from "../database/new-id.ts";
import type { PageRequest } from "../database/page-request.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { jobColumns, jobState } from "./queries.ts";
import type { JobRow } from "./row.ts";

/** What a list of jobs is narrowed to; what is undefined narrows nothing. */
export type JobFilter = {
  readonly runnerId?: string | undefined;
  readonly statuses?: readonly RunnerJobStatus[] | undefined;
  readonly group?: RunnerJobGroup | undefined;
  readonly type?: RunnerJobType | undefined;
  readonly ownerId?: string | undefined;
  readonly ownerType?: string | undefined;
  readonly createdAfter?: Date | undefined;
  readonly createdBefore?: Date | undefined;
};

/** How far the clock that ids are made by may be from the database's. */
const skewMs = 24 * 3600 * 1000;

/** A page of the org's jobs, newest first. Ids begin with their time: they are the order. */
export async function listJobs(
  db: Db,
  org: OrgId,
  filter: JobFilter,
  { after, limit }: PageRequest,
): Promise<(JobRow & { sort_key: string })[]> {
  return db<(JobRow & { sort_key: string })[]>`
    select ${jobColumns(db)}, j.created_at::text as sort_key from runner_jobs j ${jobState(db)}
     where j.org_id = ${org}
           ${after === undefined ? db`` : db`and j.id < ${after.id}`}
           ${conditions(db, filter)}
     order by j.id desc limit ${limit + 1}`;
}

/** A runner's jobs as its own clients read them, oldest first. */
export async function listRunnerJobs(
  db: Db,
  org: OrgId,
  filter: JobFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<JobRow[]> {
  return db<JobRow[]>`
    select ${jobColumns(db)} from runner_jobs j ${jobState(db)}
     where j.org_id = ${org} ${conditions(db, filter)}
     order by j.id limit ${limit} offset ${offset}`;
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

/** Ids begin with their time: they bound what an instant alone would search for row by row. */
function conditions(db: Db, filter: JobFilter) {
  const { runnerId, group, type, ownerId, ownerType, createdAfter, createdBefore } = filter;
  const after = createdAfter && leastId("job", createdAfter.getTime() - skewMs);
  const before = createdBefore && leastId("job", createdBefore.getTime() + skewMs);
  return db`
    ${runnerId === undefined ? db`` : db`and j.runner_id = ${runnerId}`}
    ${statusCondition(db, filter.statuses)}
    ${group === undefined ? db`` : db`and j.job_group = ${group}`}
    ${type === undefined ? db`` : db`and j.type = ${type}`}
    ${ownerId === undefined ? db`` : db`and j.owner_id = ${ownerId}`}
    ${ownerType === undefined ? db`` : db`and j.owner_type = ${ownerType}`}
    ${createdAfter && after ? db`and j.created_at > ${createdAfter} and j.id >= ${after}` : db``}
    ${createdBefore && before ? db`and j.created_at < ${createdBefore} and j.id < ${before}` : db``}`;
}

/** Open statuses are looked for among the live, final ones among the ended: each has its index. */
function statusCondition(db: Db, statuses: readonly RunnerJobStatus[] | undefined) {
  if (statuses === undefined) return db``;
  if (statuses.every(isFinal))
    return db`and d.org_id = j.org_id and d.status = any(${[...statuses]})`;
  if (!statuses.some(isFinal))
    return db`and l.runner_id = j.runner_id and l.status = any(${[...statuses]})`;
  return db`and coalesce(l.status, d.status) = any(${[...statuses]})`;
}

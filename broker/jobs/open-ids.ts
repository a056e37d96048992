import type postgres from "postgres";
import { isFinal } from "../../shared/runner-job.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { JobFilter } from "./job-filter.ts";

/**
 * The ids of the open jobs that these filters leave, in no order, from the live rows alone: each kind of them by its index, which
 * begins with the runner. Undefined where a filter asks for more than these rows tell.
 */
export function openIds(db: Db, org: OrgId, filter: JobFilter): postgres.Fragment | undefined {
  const { statuses = [], type, ownerId, ownerType, bound } = filter;
  const isTold = [type, ownerId, ownerType, bound ?? undefined].every((one) => one === undefined);
  if (!isTold || statuses.length === 0 || statuses.some(isFinal)) return undefined;
  const isAsked = (status: (typeof statuses)[number]): boolean => statuses.includes(status);
  const waits = isAsked("queued") || isAsked("available");
  const all = isAsked("queued") && isAsked("available");
  const kinds = [
    waits && db`not l.has_slot ${all ? db`` : db`and l.status = any(${[...statuses]})`}`,
    isAsked("available") && db`l.status = 'available' and l.has_slot`,
    isAsked("in-progress") && db`l.status = 'in-progress'`,
  ].filter((kind) => kind !== false);
  return kinds
    .map((kind) => ofKind(db, org, { filter, kind }))
    .reduce((some, more) => db`${some} union all ${more}`);
}

function ofKind(
  db: Db,
  org: OrgId,
  { filter, kind }: { readonly filter: JobFilter; readonly kind: postgres.Fragment },
): postgres.Fragment {
  const { runnerId, group, groups, createdAfter, createdBefore } = filter;
  return db`
    select l.id from runners u join runner_job_live l on l.runner_id = u.id
     where u.org_id = ${org} and ${kind}
       ${runnerId === undefined ? db`` : db`and u.id = ${runnerId}`}
       ${group === undefined ? db`` : db`and l.job_group = ${group}`}
       ${groups === undefined ? db`` : db`and l.job_group = any(${[...groups]})`}
       ${createdAfter === undefined ? db`` : db`and l.created_at > ${createdAfter}`}
       ${createdBefore === undefined ? db`` : db`and l.created_at < ${createdBefore}`}`;
}

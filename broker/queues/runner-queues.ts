import type { Db } from "../database/connect.ts";
import type { PageKey } from "../database/page-request.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { QueueWithUse } from "../runners/queries.ts";
import type { QueueFilter } from "./queries.ts";

type Sorted = QueueWithUse & { readonly sort_key: string };

/** Where a page ended among the queues of runners, in the form of a cursor's id, which has no colon. */
export const toCursorId = ({ runner_id, job_group }: QueueWithUse): string =>
  `${runner_id}-${job_group}`;

/** Whether a page ended among the queues of runners. */
export const isOfRunners = (after: PageKey | undefined): boolean =>
  after?.id.startsWith("run_") === true;

const idLength = 30;

/** The queues of runners that pass the filters, those of the newest runner first. No runner's queue goes idle. */
export async function listQueuesOfRunners(
  db: Db,
  org: OrgId,
  {
    filter,
    after,
    limit,
    offset,
  }: {
    readonly filter: QueueFilter;
    readonly after: PageKey | undefined;
    readonly limit: number;
    readonly offset: number;
  },
): Promise<Sorted[]> {
  const { owner_type: type, owner_id: owner, name, status } = filter;
  if ((type !== undefined && type !== "runner") || status === "idle") return [];
  const isPaused = status === undefined ? undefined : status === "paused";
  return db<Sorted[]>`
    select q.*, u.created_at::text as sort_key,
           (select count(*)::int from runner_job_live l
             where l.runner_id = q.runner_id and l.job_group = q.job_group and l.status = 'in-progress') as in_progress,
           (select count(*)::int from stopping_executions s
             where s.runner_id = q.runner_id and s.job_group = q.job_group and s.holds_slot) as stopping
      from runners u join runner_queues q on q.runner_id = u.id
     where u.org_id = ${org} and u.lifecycle <> 'deleted'
       ${after === undefined ? db`` : afterKey(db, after)}
       ${owner === undefined ? db`` : db`and u.id = ${owner}`}
       ${name === undefined ? db`` : db`and q.job_group = ${name}`}
       ${isPaused === undefined ? db`` : db`and coalesce(q.held in ('runner paused', 'group paused'), false) = ${isPaused}`}
     order by u.created_at desc, u.id desc, q.job_group desc limit ${limit} offset ${offset}`;
}

function afterKey(db: Db, { sortKey, id }: PageKey) {
  const [runnerId, group] = [id.slice(0, idLength), id.slice(idLength + 1)];
  return db`
    and (u.created_at, u.id) <= (${sortKey}::text::timestamptz, ${runnerId})
    and (u.created_at, u.id, q.job_group) < (${sortKey}::text::timestamptz, ${runnerId}, ${group})`;
}

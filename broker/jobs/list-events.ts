import type { RunnerJobGroup, RunnerJobType } from "../../shared/runner-job-types.ts";
import type { RunnerJobEvent, RunnerJobStatus } from "../../shared/runner-job.ts";
import type { Db } from "../database/connect.ts";
import type { FeedPosition } from "../feeds/feed-position.ts";
import type { FeedRow } from "../feeds/feed.ts";
import type { OrgId } from "../orgs/org-id.ts";

/** One move of a job, with what a follower may filter by. */
export type JobEventRow = FeedRow & {
  readonly org_id: string;
  readonly runner_job_id: string;
  readonly runner_id: string;
  readonly job_group: RunnerJobGroup;
  readonly owner_id: string;
  readonly owner_type: string;
  readonly type: RunnerJobType;
  readonly event: RunnerJobEvent | "enqueue";
  readonly from_status: RunnerJobStatus | "";
  readonly to_status: RunnerJobStatus;
  readonly execution_id: string | null;
  readonly description: string;
  readonly at: Date;
};

/** The org's events after a position, in order; the settled ones stand first. */
export async function listEvents(
  db: Db,
  org: OrgId,
  after: FeedPosition,
  limit: number,
): Promise<JobEventRow[]> {
  return db<JobEventRow[]>`
    select e.tx::text as tx, e.seq as n, e.org_id, e.runner_job_id, e.runner_id, e.job_group, j.owner_id, j.owner_type,
           j.type, e.event, e.from_status, e.to_status, e.execution_id, e.description, e.at,
           e.tx < pg_snapshot_xmin(pg_current_snapshot()) as is_settled
      from runner_job_events e
      join runner_jobs j on j.org_id = e.org_id and j.id = e.runner_job_id
     where e.org_id = ${org} and (e.tx, e.seq) > (${String(after.tx)}::xid8, ${after.n})
     order by e.tx, e.seq limit ${limit}`;
}

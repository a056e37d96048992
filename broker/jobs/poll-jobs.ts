import type { RunnerJobGroup } from "../../shared/runner-job-types.ts";
import type { Broker } from "../broker.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { confirmByPolls } from "../polls/confirm-by-poll.ts";
import { topics } from "../wake/wakes.ts";
import type { JobFilter } from "./job-filter.ts";
import { listClaimableJobs, listRunnerJobs } from "./list-jobs.ts";
import type { JobRow } from "./row.ts";

type Parts = Pick<Broker, "db" | "wakes">;

export type JobPoll = {
  readonly filter: JobFilter & { readonly runnerId: string };
  readonly limit: number;
  readonly offset: number;
  /** The runner itself asks, so its poll also confirms stops and releases jobs. */
  readonly isRunner: boolean;
};

/** What a runner sees when it asks without waiting: the jobs it can claim now, or those of other statuses. */
export async function pollJobs(broker: Parts, org: OrgId, poll: JobPoll): Promise<JobRow[]> {
  const { filter, isRunner } = poll;
  const { statuses = ["available"], runnerId, group } = filter;
  if (statuses.length > 1 || statuses[0] !== "available") {
    return listRunnerJobs(broker.db, org, filter, poll);
  }
  if (isRunner) {
    await confirmByPolls(broker, runnerId, [{ group: group ?? null }]);
    await releaseForPoll(broker, org, runnerId, group);
  }
  return listClaimableJobs(broker.db, org, { ...filter, statuses: undefined }, poll);
}

/**
 * Makes withdrawn jobs available again, because a runner that could take them asks. Costs one look-up when
 * there is no such job.
 */
async function releaseForPoll(
  { db, wakes }: Parts,
  org: OrgId,
  runnerId: string,
  group: RunnerJobGroup | undefined,
): Promise<void> {
  const released = await db`
    with short as materialized (
      select array_agg(row(q.runner_id::text, q.job_group::text)::queue_key) as keys
        from runner_queues q
       where q.org_id = ${org} and q.runner_id = ${runnerId} and q.waiting > 0 and q.slots > q.in_use
             ${group === undefined ? db`` : db`and q.job_group = ${group}`}
    ), locked as materialized (
      select s.keys, lock_queues(s.keys) from short s where s.keys is not null
    )
    select k.* from locked l cross join lateral release_jobs(l.keys, true, svc_now()) k`;
  if (released.length > 0) wakes.notify([topics.queue(runnerId), topics.org(org)]);
}

import type { RunnerJobStatus } from "../../shared/runner-job.ts";
import type { Broker } from "../broker.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { topics } from "../wake/wakes.ts";
import type { JobFilter } from "./job-filter.ts";
import { matchingIds } from "./list-jobs.ts";
import { processesToStop } from "./processes-to-stop.ts";

type CancelledRow = {
  has_more: boolean;
  job_id: string | null;
  outcome: RunnerJobStatus | "wake" | null;
  runner_id: string | null;
  execution_id: string | null;
};

export type JobsToCancel = {
  /** Of open jobs alone. */
  readonly filter: JobFilter & { readonly statuses: readonly RunnerJobStatus[] };
  readonly limit: number;
  readonly why: string;
};
export type CancelledJobs = {
  readonly cancelled: number;
  readonly toldToStop: number;
  readonly hasMore: boolean;
};

/** Cancels as many of the open jobs that match as the limit says; their running executions are told to stop. */
export async function cancelJobs(
  { db, wakes }: Pick<Broker, "db" | "wakes">,
  org: OrgId,
  { filter, limit, why }: JobsToCancel,
): Promise<CancelledJobs> {
  const rows = await db<CancelledRow[]>`
    with asked as materialized (${matchingIds(db, org, filter)} limit ${limit + 1})
    select m.has_more, c.*
      from (select count(*) > ${limit} as has_more from asked) m
      left join lateral cancel_matching_jobs(
        ${org}, array(select a.id from asked a limit ${limit}), ${[...filter.statuses]}, ${why}) c on true`;
  const cancelled = rows.filter(({ job_id: id }) => id !== null);
  const executions = cancelled.flatMap(({ execution_id: id }) => (id === null ? [] : [id]));
  const released = rows.filter(({ outcome }) => outcome === "wake");
  if (cancelled.length > 0) {
    const queues = released.flatMap(({ runner_id: id }) => (id === null ? [] : [id]));
    wakes.notify([
      topics.org(org),
      ...[...new Set(queues)].map((id) => topics.queue(id)),
      ...(await processesToStop(db, executions)),
    ]);
  }
  return {
    cancelled: cancelled.length,
    toldToStop: cancelled.filter(({ outcome }) => outcome === "in-progress").length,
    hasMore: rows[0]?.has_more ?? false,
  };
}

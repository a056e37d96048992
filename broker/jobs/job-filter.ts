import type { RunnerJobGroup, RunnerJobType } from "../../shared/runner-job-types.ts";
import type { RunnerJobStatus } from "../../shared/runner-job.ts";
import type { JobFilter } from "./list-jobs.ts";

/** The filters of a list of jobs as its query has them. */
export type AskedJobs = {
  readonly status?: readonly RunnerJobStatus[] | undefined;
  readonly group?: RunnerJobGroup | "any" | undefined;
  readonly type?: RunnerJobType | undefined;
  readonly owner_id?: string | undefined;
  readonly owner_type?: string | undefined;
  readonly created_after?: string | undefined;
  readonly created_before?: string | undefined;
};

/** The same as a query of the database takes them. */
export function toJobFilter(asked: AskedJobs): JobFilter {
  return {
    statuses: asked.status,
    group: asked.group === "any" ? undefined : asked.group,
    type: asked.type,
    ownerId: asked.owner_id,
    ownerType: asked.owner_type,
    createdAfter: asked.created_after === undefined ? undefined : new Date(asked.created_after),
    createdBefore: asked.created_before === undefined ? undefined : new Date(asked.created_before),
  };
}

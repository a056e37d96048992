import {
  type RunnerJobGroup,
  runnerJobGroups,
  type RunnerJobType,
} from "../../shared/runner-job-types.ts";
import { type RunnerJobStatus, runnerJobStatuses } from "../../shared/runner-job.ts";
import type { Actor } from "../tokens/actor.ts";
import type { Bound } from "../tokens/bound/bound.ts";

/** What a list of jobs is narrowed to; what is undefined narrows nothing. */
export type JobFilter = {
  readonly runnerId?: string | undefined;
  readonly statuses?: readonly RunnerJobStatus[] | undefined;
  readonly group?: RunnerJobGroup | undefined;
  /** Of one of these; none where there are none. */
  readonly groups?: readonly RunnerJobGroup[] | undefined;
  readonly type?: RunnerJobType | undefined;
  readonly ownerId?: string | undefined;
  readonly ownerType?: string | undefined;
  readonly createdAfter?: Date | undefined;
  readonly createdBefore?: Date | undefined;
  /** true: only what no workflow began, and what is for no install's runner. */
  readonly leavesOutInstalls?: boolean;
  /** Of a token that is bound: only what it reaches. */
  readonly bound?: Bound | null;
};

/** What other clients narrow jobs by. Words that no job has match none. */
type JobWords = {
  readonly statuses?: readonly string[] | undefined;
  readonly groups?: readonly string[] | undefined;
  /** No job has one. */
  readonly executor?: string | undefined;
};

/** The filters of a list of jobs as its query has them. */
export type AskedJobs = JobWords & {
  readonly status?: readonly RunnerJobStatus[] | undefined;
  readonly group?: RunnerJobGroup | "any" | undefined;
  readonly type?: RunnerJobType | undefined;
  readonly owner_id?: string | undefined;
  readonly owner_type?: string | undefined;
  readonly runner_id?: string | undefined;
  readonly created_after?: string | undefined;
  readonly created_before?: string | undefined;
};

/** The same as a query of the database takes them, of what the caller reaches. */
export function toJobFilter(asked: AskedJobs, { bound }: Pick<Actor, "bound">): JobFilter {
  return {
    bound,
    statuses: statusesOf(asked),
    group: asked.group === "any" ? undefined : asked.group,
    groups: groupsOf(asked),
    type: asked.type,
    ownerId: asked.owner_id,
    ownerType: asked.owner_type,
    runnerId: asked.runner_id,
    createdAfter: asked.created_after === undefined ? undefined : new Date(asked.created_after),
    createdBefore: asked.created_before === undefined ? undefined : new Date(asked.created_before),
  };
}

/** As a group that is asked for alone, these may say `any`, and `deploys` for deploy. */
function groupsOf({ groups }: AskedJobs): JobFilter["groups"] {
  if (groups === undefined || groups.includes("any")) return undefined;
  return runnerJobGroups.filter(
    (one) => groups.includes(one) || (one === "deploy" && groups.includes("deploys")),
  );
}

/** Those that all of its parameters leave: none where an executor is asked for. */
function statusesOf({ status, statuses, executor = "" }: AskedJobs): JobFilter["statuses"] {
  if (executor !== "") return [];
  if (statuses === undefined) return status;
  return (status ?? runnerJobStatuses).filter((one) => statuses.includes(one));
}

import { secondNs } from "../../shared/duration.ts";
import {
  type RunnerJobGroup,
  type RunnerJobType,
  runnerJobType,
  type runnerJobOperations,
} from "../../shared/runner-job-types.ts";
import type { LargeText } from "../seals/large-text.ts";

export type NewJob = {
  readonly type: RunnerJobType;
  readonly operation: (typeof runnerJobOperations)[number];
  /** Absent: the group of its type. */
  readonly group?: RunnerJobGroup | undefined;
  readonly ownerId?: string | undefined;
  readonly ownerType?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** The source text of the plan, stored byte for byte. */
  readonly plan?: string | LargeText | undefined;
  /** The ids that it names; kept beside it. */
  readonly planNames?: readonly string[] | undefined;
  /** An action's own timeout, which its execution timeout follows. */
  readonly actionTimeoutNs?: number | undefined;
  /** Nanoseconds; absent or 0: the default. */
  readonly queueTimeout?: number | undefined;
  readonly availableTimeout?: number | undefined;
  readonly executionTimeout?: number | undefined;
  readonly overallTimeout?: number | undefined;
  readonly maxExecutions?: number | undefined;
  readonly rerunOf?: string | undefined;
};

const minuteNs = 60 * secondNs;
const hourNs = 60 * minuteNs;
/** No clock is set further than this: beyond it nanoseconds are no longer exact. */
const longestNs = 100 * 24 * hourNs;
const slowGraceNs = 10 * minuteNs;
const graceNs = minuteNs;

export type JobTimeouts = {
  readonly queueTimeout: number;
  readonly availableTimeout: number;
  readonly executionTimeout: number;
  readonly overallTimeout: number;
  readonly maxExecutions: number;
};

/** The four clocks of a job with every default filled in. */
export function jobTimeouts(job: NewJob): JobTimeouts {
  const queueTimeout = job.queueTimeout || 24 * hourNs;
  const availableTimeout = job.availableTimeout || minuteNs;
  const executionTimeout = job.executionTimeout || defaultExecutionTimeout(job);
  const maxExecutions = job.maxExecutions || 1;
  const all = queueTimeout + maxExecutions * (availableTimeout + executionTimeout);
  const overallTimeout = job.overallTimeout || Math.min(all, longestNs);
  return { queueTimeout, availableTimeout, executionTimeout, overallTimeout, maxExecutions };
}

function defaultExecutionTimeout(job: NewJob): number {
  if (job.type === "actions-workflow" && job.actionTimeoutNs) return job.actionTimeoutNs + minuteNs;
  return runnerJobType(job.type).minutes * minuteNs;
}

/** The facts that the database keeps of a job's type, so that no SQL repeats the table of types. */
export function jobKind(job: NewJob): {
  group: RunnerJobGroup;
  stopGrace: number;
  changes: boolean;
} {
  const row = runnerJobType(job.type);
  return {
    group: job.group ?? row.group,
    stopGrace: row.slowToStop === true ? slowGraceNs : graceNs,
    changes: row.changesThings === true,
  };
}

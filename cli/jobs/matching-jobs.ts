import { countJobsRoute } from "../../shared/api/bulk-runner-jobs.ts";
import type { RouteInput } from "../../shared/api/route.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { runnerJobGroups, runnerJobTypeNames } from "../../shared/runner-job-types.ts";
import type { RunnerJobStatus } from "../../shared/runner-job.ts";
import type { Caller } from "../command.ts";
import { readInstant } from "../flags/read-flags.ts";
import { ask } from "../output/ask.ts";

/** What narrows jobs, in lists and in what is done with all that match. */
export const jobFilterFlags = {
  runner: { value: "RUNNER", offers: "runners", summary: "Only this runner's." },
  type: { value: "TYPE", choices: runnerJobTypeNames, summary: "Only jobs of this type." },
  group: { value: "GROUP", choices: runnerJobGroups, summary: "Only jobs of this group." },
  "owner-id": { value: "ID", summary: "Only this owner's." },
  "owner-type": { value: "TYPE", summary: "Only those of owners of this type." },
  since: {
    value: "DURATION",
    summary: "Only jobs enqueued since then: a duration ago like 1h, or an instant.",
  },
  until: {
    value: "DURATION",
    summary: "Only jobs enqueued before then: a duration ago like 1h, or an instant.",
  },
} as const;

/** How all that match are named and confirmed. */
export const bulkFlags = {
  ...jobFilterFlags,
  all: { summary: "Every job of the org: required where no filter is given." },
  yes: { summary: "Do not ask for confirmation." },
} as const;

type FilterFlags = {
  readonly status: readonly RunnerJobStatus[];
  readonly type: (typeof runnerJobTypeNames)[number] | undefined;
  readonly group: (typeof runnerJobGroups)[number] | undefined;
  readonly "owner-id": string | undefined;
  readonly "owner-type": string | undefined;
  readonly since: string | undefined;
  readonly until: string | undefined;
};
type BulkFlags<Status> = Omit<FilterFlags, "status"> & {
  readonly status: readonly Status[];
  readonly runner: string | undefined;
  readonly all: boolean;
  readonly yes: boolean;
};

/** The filters as the API takes them, but for the runner, which some routes have in their path. */
export function readJobFilter(flags: FilterFlags) {
  return {
    status: flags.status.length === 0 ? undefined : [...flags.status],
    type: flags.type,
    group: flags.group,
    owner_id: flags["owner-id"],
    owner_type: flags["owner-type"],
    created_after: readInstant("--since", flags.since),
    created_before: readInstant("--until", flags.until),
  };
}

/** The filters of an act on all jobs that match. One job or all that match must be named, and not both. */
export function readMatching<Status extends RunnerJobStatus>(
  flags: BulkFlags<Status>,
  statuses: readonly Status[],
) {
  const { status: _, ...others } = readJobFilter(flags);
  const filter = { ...others, runner_id: flags.runner };
  const isNarrowed =
    flags.status.length > 0 || Object.values(filter).some((value) => value !== undefined);
  if (!isNarrowed && !flags.all) {
    throw new UsageError("Name a job, or filters like --status and --runner, or --all.");
  }
  const status = flags.status.length > 0 ? [...flags.status] : [...statuses];
  return { ...filter, status };
}

type Counted = NonNullable<RouteInput<typeof countJobsRoute>["query"]>;

/**
 * Counts the jobs that match and asks, unless it was said already. Answers whose turn it is: those that were counted, without what
 * is enqueued meanwhile; undefined for nobody's.
 */
export async function confirmCounted<Filter extends Counted>(
  call: Caller,
  query: Filter,
  question: { readonly isApproved: boolean; readonly verb: string; readonly more: string },
): Promise<Filter | undefined> {
  if (question.isApproved) return query;
  const { body } = await call(countJobsRoute, { query });
  const { count, has_more: hasMore, counted_at: at } = body;
  if (count === 0) return query;
  const jobs = `${count.toLocaleString("en")}${hasMore ? " or more" : ""} ${count === 1 ? "job" : "jobs"}`;
  if (!(await ask(`${question.verb} ${jobs}? ${question.more} Only 'yes' is taken: `)))
    return undefined;
  const { created_before: before } = query;
  return before !== undefined && Date.parse(before) < Date.parse(at)
    ? query
    : { ...query, created_before: at };
}

/** Refuses a job's id together with filters. */
export function requireNoFilter(flags: Partial<Record<string, unknown>>): void {
  const given = Object.entries(flags).find(
    ([name, value]) =>
      (name in bulkFlags || name === "status") &&
      (Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false),
  );
  if (given === undefined) return;
  throw new UsageError(
    `--${given[0]} is for all jobs that match: name a job or filters, not both.`,
  );
}

import { finalStatuses, openStatuses } from "../../../shared/api/bulk-runner-jobs.ts";
import { runnerJobGroups, runnerJobTypeNames } from "../../../shared/runner-job-types.ts";
import { type RunnerJobStatus, runnerJobStatuses } from "../../../shared/runner-job.ts";
import { readFilters } from "../parts/filters.ts";

/** Words for several statuses at once. */
const statusWords = {
  waiting: ["queued", "available"],
  open: openStatuses,
  ended: finalStatuses,
  unsuccessful: ["failed", "timed-out", "not-attempted"],
} as const satisfies Record<string, readonly RunnerJobStatus[]>;

/** What the list of jobs can be narrowed to. */
export const jobFilters = {
  status: {
    label: "Status",
    values: [...(Object.keys(statusWords) as (keyof typeof statusWords)[]), ...runnerJobStatuses],
  },
  group: { label: "Group", values: runnerJobGroups.filter((group) => group !== "") },
  type: { label: "Type", values: runnerJobTypeNames },
  runner_id: { label: "Runner", placeholder: "run_…" },
  owner_id: { label: "Owner" },
  created_after: { label: "Created after", placeholder: "2026-01-31T00:00:00Z" },
  created_before: { label: "Created before", placeholder: "2026-02-01T00:00:00Z" },
} as const;

/** The filters of an address as the API takes them. */
export function readJobFilters(query: URLSearchParams) {
  const { status: word, cursor, ...others } = readFilters(query, jobFilters);
  return { filters: { ...others, ...(word && { status: statusesOf(word) }) }, cursor };
}

/** Those of these statuses that an address asks for; all of them unless it names a status. */
export function statusesAmong<Status extends RunnerJobStatus>(
  query: URLSearchParams,
  among: readonly Status[],
): Status[] {
  const { status } = readJobFilters(query).filters;
  return among.filter((one) => status === undefined || status.includes(one));
}

/** Whether an address narrows the list at all. */
export function isNarrowed(query: URLSearchParams): boolean {
  return Object.keys(readJobFilters(query).filters).length > 0;
}

/** The filters of an address alone, as an address has them: for other pages of the same jobs. */
export function filterQuery(query: URLSearchParams, changed: Record<string, string> = {}): string {
  const names = Object.keys(jobFilters);
  const given = names.flatMap((name): [string, string][] => {
    const value = changed[name] ?? query.get(name)?.trim();
    return value ? [[name, value]] : [];
  });
  return new URLSearchParams(given).toString();
}

const statusesOf = (word: keyof typeof statusWords | RunnerJobStatus): RunnerJobStatus[] =>
  word in statusWords
    ? [...statusWords[word as keyof typeof statusWords]]
    : [word as RunnerJobStatus];

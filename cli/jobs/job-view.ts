import type { RunnerJob } from "../../shared/api/runner-job.ts";
import type { Waiting } from "../../shared/api/why-waiting.ts";
import { formatDuration } from "../../shared/duration.ts";
import { formatAge, formatInstant, formatTook } from "../output/format-age.ts";
import type { View } from "../output/print.ts";
import { progressText } from "./progress-text.ts";

type Job = Omit<RunnerJob, "type"> & { readonly type: string };

const nameOf = (job: Job): string => job.id;

/** A job as a line of a list. */
export const jobLine: View<Job> = {
  nameOf,
  columns: {
    ID: nameOf,
    TYPE: ({ type }) => type,
    STATUS: ({ status }) => status,
    AGE: ({ created_at }) => formatAge(created_at),
    EXECUTIONS: ({ execution_count: count, max_executions: most }) => `${count}/${most}`,
    TOOK: ({ execution_time: ns }) => (ns > 0 ? formatTook(ns) : ""),
    RUNNER: ({ runner_id }) => runner_id,
  },
};

/** A job by itself. */
export const jobDetails: View<Job> = {
  nameOf,
  columns: {
    job: nameOf,
    type: ({ type, operation }) => (operation === "exec" ? type : `${type}, ${operation}`),
    status: ({ status, status_description: why }) => (why === "" ? status : `${status}: ${why}`),
    error: ({ composite_error: error }) => (error == null ? "" : errorText(error)),
    progress: ({ executions }) => {
      const progress = executions?.findLast((one) => one.progress != null)?.progress;
      return progress == null ? "" : progressText(progress);
    },
    waiting: ({ waiting }) => (waiting == null ? "" : waitingText(waiting)),
    runner: ({ runner_id }) => runner_id,
    process: ({ runner_process_id }) => runner_process_id ?? "",
    owner: ({ owner_type, owner_id }) => `${owner_type} ${owner_id}`.trim(),
    created: ({ created_at }) => formatInstant(created_at),
    started: ({ started_at }) => formatInstant(started_at),
    finished: ({ finished_at }) => formatInstant(finished_at),
    took: ({ execution_time: ns }) => (ns > 0 ? formatTook(ns) : ""),
    executions: ({ execution_count: count, max_executions: most }) => `${count} of ${most}`,
    clocks: (job) =>
      `queue ${formatDuration(job.queue_timeout)}, available ${formatDuration(job.available_timeout)}, ` +
      `execution ${formatDuration(job.execution_timeout)}, overall ${formatDuration(job.overall_timeout)}`,
    metadata: ({ metadata }) => pairsText(metadata),
    outputs: ({ outputs }) =>
      outputs === undefined || Object.keys(outputs).length === 0 ? "" : JSON.stringify(outputs),
    "rerun of": ({ rerun_of }) => rerun_of ?? "",
  },
};

/** Why a job waits, the weightiest cause first, a line for each. */
export function waitingText({ reasons, position }: Waiting): string {
  const place = position === null ? [] : [`number ${position} in its queue`];
  return [...reasons.map(({ detail }) => detail), ...place].join("\n");
}

/** What programs switch on, and what it says where the description does not say it already. */
function errorText({ type, title, detail, retryable }: NonNullable<Job["composite_error"]>) {
  const head = [type, title].filter(Boolean).join(": ");
  return [head, detail, retryable === true ? "The same again may go well." : ""]
    .filter(Boolean)
    .join("\n");
}

function pairsText(pairs: Readonly<Record<string, string>>): string {
  return Object.entries(pairs)
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");
}

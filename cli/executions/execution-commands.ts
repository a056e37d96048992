import {
  getExecutionRoute,
  listExecutionsRoute,
} from "../../shared/api/read-runner-job-executions.ts";
import type { RunnerJobExecution } from "../../shared/api/runner-job-execution.ts";
import { executionStatuses } from "../../shared/runner-job-execution.ts";
import { type Command, defineCommand } from "../command.ts";
import { progressText } from "../jobs/progress-text.ts";
import { defineList } from "../lists/define-list.ts";
import { formatAge, formatInstant, formatTook } from "../output/format-age.ts";
import { printItem, type View } from "../output/print.ts";

const job = { summary: "The job's id.", offers: "jobs" } as const;

const nameOf = (execution: RunnerJobExecution): string => execution.id;

function tookText({ created_at: from, finished_at: to }: RunnerJobExecution): string {
  return to === null ? "" : formatTook((Date.parse(to) - Date.parse(from)) * 1e6);
}

const executionLine: View<RunnerJobExecution> = {
  nameOf,
  columns: {
    ID: nameOf,
    STATUS: ({ status }) => status,
    PROCESS: ({ runner_process_id: id }) => id ?? "",
    AGE: ({ created_at: at }) => formatAge(at),
    TOOK: tookText,
    DESCRIPTION: ({ status_description: text }) => text,
  },
};

const executionDetails: View<RunnerJobExecution> = {
  nameOf,
  columns: {
    execution: nameOf,
    job: ({ runner_job_id: id }) => id,
    runner: ({ runner_id: id }) => id,
    process: ({ runner_process_id: id }) => id ?? "",
    status: ({ status, status_description: why }) => (why === "" ? status : `${status}: ${why}`),
    "ended by": ({ ended_by: who }) => (who === "client" ? "its process" : (who ?? "")),
    progress: ({ progress }) => (progress == null ? "" : progressText(progress)),
    result: ({ result }) => {
      if (result == null) return "";
      const detail = result.composite_error?.detail ?? "";
      return result.success ? "success" : [`error ${result.error_code}`, detail].join(" ").trim();
    },
    outputs: ({ outputs }) => (outputs == null ? "" : JSON.stringify(outputs.outputs)),
    "came too late": ({ evidence }) =>
      (evidence ?? []).map(({ kind, reason }) => `${kind}: ${reason}`).join("\n"),
    created: ({ created_at: at }) => formatInstant(at),
    confirmed: ({ confirmed_at: at }) => formatInstant(at),
    deadline: ({ deadline_at: at, finished_at: end }) => (end === null ? at : ""),
    finished: ({ finished_at: at }) => formatInstant(at),
    took: tookText,
  },
};

const listExecutions = defineList({
  name: "execution list",
  summary: "List the executions of a job, oldest first.",
  isWhole: true,
  args: { job },
  flags: {
    status: {
      value: "STATUS",
      choices: executionStatuses,
      isRepeatable: true,
      summary: "Only executions in this status.",
    },
  },
  examples: [{ does: "Show each execution of a job.", run: "svc execution list job_…" }],
  view: executionLine,
  empty: "No executions found. See why: svc job why JOB",
  read: async ({ args, flags, call }) => {
    const { text, body } = await call(listExecutionsRoute, { params: { job_id: args.job } });
    const only: readonly string[] = flags.status;
    if (only.length === 0) return { text, body: { items: body, next_cursor: null } };
    const items = body.filter(({ status }) => only.includes(status));
    return { text: JSON.stringify(items), body: { items, next_cursor: null } };
  },
});

const getExecution = defineCommand({
  name: "execution get",
  summary: "Show an execution: its history, progress, result and outputs.",
  args: { job, execution: { summary: "The execution's id.", offers: "executions" } },
  examples: [{ does: "Show one execution of a job.", run: "svc execution get job_… exe_…" }],
  run: async ({ args, call, screen }) => {
    const params = { job_id: args.job, execution_id: args.execution };
    printItem(screen, await call(getExecutionRoute, { params }), executionDetails);
  },
});

/** The commands of executions, in the order of help. */
export const executionCommands: readonly Command[] = [listExecutions, getExecution];

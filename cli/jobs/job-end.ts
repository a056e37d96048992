import type { RunnerJob } from "../../shared/api/runner-job.ts";
import type { RunnerJobStatus } from "../../shared/runner-job.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { formatTook } from "../output/format-age.ts";

/** The exit codes of job statuses; every other status is a failure. */
const exitCodeByStatus: Readonly<Partial<Record<RunnerJobStatus, number>>> = {
  finished: exitCodes.ok.code,
  "timed-out": exitCodes.timeout.code,
  cancelled: exitCodes.interrupted.code,
};
const mostCode = 255;

/** The exit code for a job's status. */
export const statusExitCode = ({ status }: Pick<RunnerJob, "status">): number =>
  exitCodeByStatus[status] ?? exitCodes.failed.code;

/** What `svc job run` exits with. */
export const ownCodes = [
  [
    "0 to 255",
    "COMMAND's own, when it ended by itself; with --exit-code job 0, or 1 when it failed.",
  ],
  ["126, 127", "COMMAND cannot be executed, or was not found, as in a shell."],
  ["128 + n", "Signal n ended COMMAND: 137 is SIGKILL, for example because memory ran out."],
  ["1", "The job failed for another reason: its agent was lost, or its outputs are invalid."],
  ["124", "The job timed out."],
  ["130", "The job was cancelled, or Ctrl-C was pressed twice."],
  [
    "2 to 6",
    "As for every command. If no job id was printed, svc could not enqueue the job; if one was, svc could not follow it, and the job continues.",
  ],
] as const;

/** The exit code of the command that was the job's only step; the job's fate where that never ended by itself. */
export function ownCode(job: RunnerJob): number {
  const id = job.final_runner_job_execution_id;
  const result = job.executions?.find((one) => one.id === id)?.result;
  const metadata = result?.error_metadata ?? {};
  if (job.status !== "failed" || metadata["step"] === undefined) return statusExitCode(job);
  if (metadata["reason"] === "timeout_step") return exitCodes.timeout.code;
  const code = result?.error_code ?? 0;
  return code > 0 && code <= mostCode ? code : statusExitCode(job);
}

/** The shortest wait that is worth a word. */
const leastWaitMs = 1_000;

/** How the job ended, why, and what became of it; the reason is left out where it was just shown. */
export function endWords(job: RunnerJob, lastShown: string | undefined): string {
  const took = job.execution_time > 0 ? ` after ${formatTook(job.execution_time)}` : "";
  const description = job.status_description;
  const why = description === "" || description === lastShown ? "." : `: ${description}`;
  const outputs = Object.keys(job.outputs ?? {}).length === 0 ? [] : [JSON.stringify(job.outputs)];
  const incomplete = job.logs_complete ? [] : ["Its log is not complete yet."];
  return [
    `${job.id} ${job.status}${took}${waitWords(job)}${why}`,
    ...outputs.map((text) => `Outputs: ${text}`),
    ...incomplete,
  ].join("\n");
}

/** Its time counts from the first claim; what was before is told by itself. */
function waitWords({ created_at, started_at, finished_at }: RunnerJob): string {
  const until = started_at ?? finished_at;
  if (until === null) return "";
  const waitedMs = Date.parse(until) - Date.parse(created_at);
  return waitedMs < leastWaitMs ? "" : ` (it waited ${formatTook(waitedMs * 1e6)} before)`;
}

import type { ResultInput } from "../../shared/api/report-executions.ts";
import { type Problem, problem } from "../../shared/problem.ts";
import type { RunnerJobStatus } from "../../shared/runner-job.ts";
import type { Broker } from "../broker.ts";
import type { LargeText } from "../seals/large-text.ts";
import type { Actor } from "../tokens/actor.ts";
import { findExecution } from "./queries.ts";
import type { Reported, ReportOutcome } from "./report-executions.ts";
import type { Report, ResultReport } from "./report.ts";
import type { ExecutionRow } from "./row.ts";

export type RecordedReport = {
  readonly execution: ExecutionRow;
  readonly jobStatus: RunnerJobStatus;
};
export type NamedExecution = { readonly job_id: string; readonly execution_id: string };

/** Records a report on the caller's own execution; refuses with 404 or 409. */
export async function recordReport(
  broker: Pick<Broker, "db" | "permits" | "report">,
  actor: Actor,
  { job_id: jobId, execution_id: executionId }: NamedExecution,
  said: Omit<Report, "orgId" | "runnerId" | "jobId" | "executionId">,
): Promise<RecordedReport> {
  // A runner's or a job's token names its runner; a job's token may report on its own execution only.
  if (actor.executionId !== null && actor.executionId !== executionId)
    throw problem.notFound("execution");
  const runnerId = actor.runnerId ?? (await findRunner(broker, actor, executionId));
  const { orgId } = actor;
  const reported = await broker.report({ orgId, runnerId, jobId, executionId, ...said });
  const refused = refusalOf(reported);
  if (refused !== undefined) throw refused;
  const { execution, jobStatus } = reported;
  if (execution === null || jobStatus === null) throw problem.notFound("execution");
  return { execution, jobStatus };
}

/** Of which runner it is: asked only for callers that name none. */
async function findRunner(
  { db, permits }: Pick<Broker, "db" | "permits">,
  actor: Actor,
  executionId: string,
): Promise<string> {
  const owner = { orgId: actor.orgId, token: actor.id };
  const execution = await permits.run(owner, () => findExecution(db, actor.orgId, executionId));
  if (execution === undefined) throw problem.notFound("execution");
  return execution.runner_id;
}

type Refusal = (reported: Reported) => Problem;
const conflict =
  (code: string, words: (status: string) => string): Refusal =>
  ({ execution }) => {
    const status = execution?.status;
    return problem.conflict(code, words(status ?? "over"), { execution_status: status ?? null });
  };

const refusals: Record<Exclude<ReportOutcome, "ok" | "unchanged">, Refusal> = {
  "not-found": () => problem.notFound("execution"),
  backwards: conflict(
    "execution_goes_back",
    (status) => `This execution has already ended: it is ${status}.`,
  ),
  ended: conflict(
    "execution_ended",
    (status) =>
      `The broker has ended this execution: it is ${status}. The report was stored as late evidence.`,
  ),
  differs: conflict(
    "execution_is_final",
    (status) =>
      `This execution already ended as ${status}. The report was stored as late evidence.`,
  ),
  "needs-result": conflict(
    "result_missing",
    () => "An execution cannot finish without a result. Send the result first, or in this report.",
  ),
  "too-late-to-give-back": conflict(
    "too_late_to_give_back",
    (status) =>
      `Only a pending or initializing execution can be given back; this one is ${status}.`,
  ),
};

/** The refusal of a report; undefined when it was recorded. */
export function refusalOf(reported: Reported): Problem | undefined {
  const { outcome } = reported;
  return outcome === "ok" || outcome === "unchanged" ? undefined : refusals[outcome](reported);
}

/** A result by its stored names; absent booleans and numbers mean false and 0. */
export function toResultReport(result: ResultInput, large?: LargeText): ResultReport {
  return {
    large,
    success: result.success ?? false,
    error_code: result.error_code ?? 0,
    error_metadata: result.error_metadata ?? {},
    composite_error: result.composite_error,
    contents: result.contents ?? undefined,
    contents_display: result.contents_display ?? undefined,
    contents_gzip: result.contents_compressed ?? undefined,
    contents_display_gzip: result.contents_display_compressed ?? undefined,
  };
}

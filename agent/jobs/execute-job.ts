import { formatDuration } from "../../shared/duration.ts";
import { isJobOver } from "../client/broker-errors.ts";
import { pause } from "../client/pause.ts";
import { askConsent, asksFirst } from "../consent/ask-consent.ts";
import { refusalByRules } from "../consent/refusal-by-rules.ts";
import type { JobLogSpec } from "../logs/job-log.ts";
import { makeRedactor, type Redactor } from "../logs/redactor.ts";
import type { Child } from "../processes/child.ts";
import type { PendingResult } from "../spool/pending-result.ts";
import { detectSecrets } from "./detect-secrets.ts";
import type { ExecutionRecord } from "./execution-record.ts";
import { workOf } from "./handler-registry.ts";
import type { JobWork, Plan } from "./handler.ts";
import { crashOf, JobFailure } from "./job-failure.ts";
import type { JobHost } from "./job-host.ts";
import { type Ending, hidesOutputs, jobOutcome, outputsOf } from "./job-outcome.ts";
import { hasKeptToken, keepToken } from "./job-place.ts";
import { type LazyJobLog, makeLazyJobLog } from "./lazy-job-log.ts";
import { openJob, type OpenJob } from "./open-job.ts";
import { planSecrets } from "./plan-secrets.ts";
import { makeStatusReports, type ReportedStatus, type StatusReports } from "./status-reports.ts";
import { causeOf, isAnothers } from "./stop-cause.ts";
import type { StopControl } from "./stop-control.ts";
import type { StoredExecution } from "./stored-execution.ts";

/** A job from its claim, or from its take-over, to its result. */
export type ExecutionContext = {
  readonly host: JobHost;
  readonly book: ExecutionRecord;
  readonly stop: StopControl;
  readonly plan: Plan;
  /** Where it is known. */
  readonly token: string | undefined;
  readonly enter: (phase: ReportedStatus) => void;
  /** Gives the job back: nothing of it has begun. False when the broker does not take it. */
  readonly giveBack: () => Promise<boolean>;
  /** Resolves true when it was given back meanwhile; then nothing may begin. */
  readonly wasGivenBack: () => Promise<boolean>;
};

type StartedExecution = ExecutionContext & {
  readonly redactor: Redactor;
  readonly log: LazyJobLog;
  readonly reports: StatusReports;
};

/** What came of the job, and what is to be taken away when that is safe. */
export type ExecutedJob = { readonly result?: PendingResult; readonly ended: readonly Child[] };

/** Lives the job to its end. Without a result nothing is to be reported: it is not ours any more. */
export async function executeJob(life: ExecutionContext): Promise<ExecutedJob> {
  const { host, book, plan, token } = life;
  const { state } = book;
  const redactor = makeRedactor([...host.secrets(), ...planSecrets(plan), ...detectSecrets(plan)]);
  if (token !== undefined) redactor.add(token);
  const log = makeLazyJobLog(
    () => host.openJobLog(logSpec(state), redactor),
    (err) => host.log.error({ err, execution_id: state.execution_id }, "a log is interrupted"),
  );
  const over = (): void => life.stop.stop({ kind: "over" }, "gently");
  const ids = { jobId: state.job.id, executionId: state.execution_id };
  const reports = makeStatusReports(host, ids, over);
  const job = openJob({ host, book, stop: life.stop, redactor, log, plan, token });
  const execution: StartedExecution = { ...life, redactor, log, reports };
  try {
    const ending = await workThrough(execution, job);
    if (ending === undefined) return { ended: job.ended };
    return { result: await conclude(execution, ending), ended: job.ended };
  } catch (error) {
    // It is told as the job's end; nothing of the job may be left open by it.
    await job.close().catch(() => {});
    await log.close().catch(() => {});
    throw error;
  } finally {
    reports.close();
  }
}

/** Whose log it is. */
export function logSpec(state: StoredExecution): JobLogSpec {
  const { id, type, log_stream_id } = state.job;
  const attributes = {
    "runner_job.id": id,
    "runner_job.type": type,
    "runner_job_execution.id": state.execution_id,
  };
  return { executionId: state.execution_id, streamId: log_stream_id ?? id, attributes };
}

/** Nothing when the job was given back or is not ours. */
async function workThrough(
  execution: StartedExecution,
  open: OpenJob,
): Promise<Ending | undefined> {
  // What has begun goes on, although the rules have changed meanwhile.
  const refusal = isNew(execution)
    ? refusalByRules(execution.host.config, open.job.facts, execution.plan)
    : undefined;
  const work = refusal ?? readPlan(execution, open);
  if (work instanceof JobFailure) return { kind: "failed", failure: work };
  // Before anybody knows that it has begun: whoever takes it up then has its token, too.
  if (work.usesHost === true && execution.token !== undefined) {
    await keepToken(execution.host.runDir.path, execution.book.state.execution_id, execution.token);
  }
  // Its token is gone with the agent that claimed it: handed out anew, the job comes with another.
  if (work.usesHost === true && hasLostToken(execution) && (await execution.giveBack()))
    return undefined;
  const first = work.prepare === undefined ? "in-progress" : "initializing";
  const refused = await reportFirst(execution, first);
  if (refused !== undefined) return refused === "over" ? undefined : refused;
  const ending = await attempt(execution, work, open);
  execution.log.sendOff();
  if (work.usesHost === true && ending !== undefined) await keepOutcome(execution, ending);
  if (await execution.wasGivenBack()) return await leave(execution, { work, open });
  if (open.isOpen() || work.cleanup !== undefined) execution.reports.tell("cleaning-up");
  await cleanUp(execution, { work, open });
  return ending;
}

const hasLostToken = (execution: StartedExecution): boolean =>
  execution.token === undefined &&
  isNew(execution) &&
  !hasKeptToken(execution.host.runDir.path, execution.book.state.execution_id);

const isNew = ({ book }: StartedExecution): boolean => book.state.reported === "pending";

function readPlan({ book: { state } }: StartedExecution, { job }: OpenJob): JobWork | JobFailure {
  try {
    return workOf(state.job, job.plan, state.is_simulated === true);
  } catch (error) {
    if (error instanceof JobFailure) return error;
    throw error;
  }
}

/** Before the broker has answered it, nothing is done that anybody could notice. */
async function reportFirst(
  execution: StartedExecution,
  status: ReportedStatus,
): Promise<Ending | "over" | undefined> {
  const { book, stop } = execution;
  try {
    if (book.state.reported === "pending") await execution.reports.first(status, stop.signal);
    else status = book.state.reported;
  } catch (error) {
    if (isJobOver(error)) return "over";
    if (!stop.signal.aborted) throw error;
  }
  if (await execution.wasGivenBack()) return "over";
  if (stop.signal.aborted) {
    const cause = causeOf(stop.signal);
    if (book.state.reported === "pending" && isAnothers(cause)) return "over";
    if (book.state.reported === "pending" && cause.kind === "agent-stopped") {
      if (await execution.giveBack()) return "over";
    }
    if (book.state.reported === "pending") return { kind: "stopped", cause };
  }
  book.state.reported = status;
  execution.enter(status);
  return undefined;
}

/** Prepares and executes; whatever is thrown becomes an ending. */
async function attempt(
  execution: StartedExecution,
  work: JobWork,
  open: OpenJob,
): Promise<Ending | undefined> {
  const { stop, book } = execution;
  try {
    if (work.usesHost === true) await open.place(work);
    const { outcome } = book.state;
    if (outcome !== undefined) return { kind: "kept", outcome };
    if (asksFirst(work, open.job)) await askConsent(open.job);
    if (work.prepare !== undefined) {
      await work.prepare(open.job);
      if (await execution.wasGivenBack()) return undefined;
      execution.reports.tell("in-progress");
      execution.enter("in-progress");
    }
    if (work.timeoutMs !== undefined) {
      book.state.timeout_ms = work.timeoutMs; // on disk with the first child
      const leftMs = book.state.started_at_ms + work.timeoutMs - Date.now();
      stop.stopAfter(leftMs, "job-timeout", `after ${formatDuration(work.timeoutMs * 1e6)}`);
    }
    if (stop.signal.aborted) return { kind: "stopped", cause: causeOf(stop.signal) };
    return { kind: "produced", produced: await work.execute(open.job) };
  } catch (error) {
    const failure = failureOf(execution, error);
    if (!stop.signal.aborted) return { kind: "failed", failure };
    return { kind: "stopped", cause: causeOf(stop.signal), failure };
  }
}

/**
 * Whoever takes the job up while its folders are taken away, and its outputs with them, reports the same end. It need
 * not survive a power cut: the ends of the steps tell as much.
 */
async function keepOutcome({ book, redactor }: StartedExecution, ending: Ending): Promise<void> {
  book.state.outcome = jobOutcome(ending, redactor);
  await book.save();
}

/** A failure of ours is told as such; the agent's own log has it whole. */
function failureOf({ host, book }: StartedExecution, error: unknown): JobFailure {
  if (error instanceof JobFailure) return error;
  host.log.error(
    { err: error, execution_id: book.state.execution_id },
    "a job failed within the agent",
  );
  return crashOf(error);
}

type Worked = { readonly work: JobWork; readonly open: OpenJob };

/** Nobody wants to hear of it any more: everything is taken away, nothing is said. */
async function leave(execution: StartedExecution, worked: Worked): Promise<undefined> {
  await cleanUp(execution, worked);
  await execution.log.close().catch(() => {});
}

async function cleanUp(execution: StartedExecution, { work, open }: Worked): Promise<void> {
  execution.enter("cleaning-up");
  const { host, book, log } = execution;
  const done = new AbortController();
  try {
    const bound = (): Promise<void> => pause(mostCleanupMs, execution.stop.hurry, done.signal);
    if (work.cleanup !== undefined) await Promise.race([work.cleanup(open.job), bound()]);
  } catch (error) {
    host.log.error({ err: error, execution_id: book.state.execution_id }, "a clean-up failed");
  } finally {
    done.abort();
  }
  try {
    for (const words of await open.close()) log.write(words, "warn");
  } catch (error) {
    host.log.error({ err: error, execution_id: book.state.execution_id }, "a job was not closed");
  }
}

const mostCleanupMs = 30_000;

/** The last lines, and the result with the number of the last one. */
async function conclude(execution: StartedExecution, ending: Ending): Promise<PendingResult> {
  const { redactor, log, book, host } = execution;
  const { words, ...finish } = jobOutcome(ending, redactor);
  if (hidesOutputs(outputsOf(ending), redactor)) {
    log.write("Secrets were taken out of the outputs.", "warn");
  }
  // A step may have said it already.
  const isSaid = redactor.redactText(log.lastError() ?? "") === words;
  if (finish.status !== "finished" && words !== "" && !isSaid) log.write(words, "error");
  const { lastRecord } = await log.close().catch((error: unknown) => {
    host.log.error({ err: error, execution_id: book.state.execution_id }, "a log was not closed");
    return { lastRecord: undefined };
  });
  return {
    job_id: book.state.job.id,
    finish: { ...finish, ...(lastRecord !== undefined && { last_record: lastRecord }) },
  };
}

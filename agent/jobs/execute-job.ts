import { formatDuration } from "../../shared/duration.ts";
import type { AgentContext } from "../agent-context.ts";
import { askApproval, needsApproval } from "../approval/ask-approval.ts";
import { refusalByRules } from "../approval/refusal-by-rules.ts";
import { isJobOver } from "../client/broker-errors.ts";
import { pause } from "../client/pause.ts";
import { makeRedactor, type Redactor } from "../logs/redactor.ts";
import type { Child } from "../processes/child.ts";
import type { PendingResult } from "../spool/result-outbox.ts";
import { detectSecrets } from "./detect-secrets.ts";
import type { ExecutionRecord } from "./execution-record.ts";
import { workOf } from "./handler-registry.ts";
import type { JobWork, Plan } from "./handler.ts";
import { hasStoredToken, storeToken } from "./job-directories.ts";
import { internalFailure, JobFailure } from "./job-failure.ts";
import { type Ending, hidesOutputs, jobOutcome, outputsOf } from "./job-outcome.ts";
import { type LazyJobLog, logSpec, makeLazyJobLog } from "./lazy-job-log.ts";
import { openJob, type OpenJob } from "./open-job.ts";
import { planSecrets } from "./plan-secrets.ts";
import { makeStatusReports, type ReportedStatus, type StatusReports } from "./status-reports.ts";
import { causeOf, isAnothers } from "./stop-cause.ts";
import type { StopControl } from "./stop-control.ts";

/** What executing a job needs, from its claim or its resumption to its result. */
export type ExecutionContext = {
  readonly agent: AgentContext;
  readonly record: ExecutionRecord;
  readonly stop: StopControl;
  readonly plan: Plan;
  /** The execution's token, if it is known. */
  readonly token: string | undefined;
  readonly enter: (phase: ReportedStatus) => void;
  /** Gives the job back before anything of it has begun. False when the broker refuses. */
  readonly giveBack: () => Promise<boolean>;
  /** Resolves true when the job was given back; then nothing may begin. */
  readonly wasGivenBack: () => Promise<boolean>;
};

type StartedRun = ExecutionContext & {
  readonly redactor: Redactor;
  readonly log: LazyJobLog;
  readonly reports: StatusReports;
};

/** The result of a job, and the children to remove when it is stored. */
export type ExecutedJob = { readonly result?: PendingResult; readonly ended: readonly Child[] };

/** Executes the job to its end. Without a result nothing is reported: the job no longer belongs to this agent. */
export async function executeJob(context: ExecutionContext): Promise<ExecutedJob> {
  const { agent, record, plan, token } = context;
  const { state } = record;
  const redactor = makeRedactor([...agent.secrets(), ...planSecrets(plan), ...detectSecrets(plan)]);
  if (token !== undefined) redactor.add(token);
  const log = makeLazyJobLog(
    () => agent.openJobLog(logSpec(state), redactor),
    (err) =>
      agent.log.error(
        { err, execution_id: state.execution_id },
        "writing a job's log failed; it is retried",
      ),
  );
  const over = (): void => context.stop.stop({ kind: "over" }, "gently");
  const ids = { jobId: state.job.id, executionId: state.execution_id };
  const reports = makeStatusReports(agent, ids, over);
  const job = openJob({ agent, record, stop: context.stop, redactor, log, plan, token });
  const run: StartedRun = { ...context, redactor, log, reports };
  try {
    const ending = await workThrough(run, job);
    if (ending === undefined) return { ended: job.ended };
    return { result: await conclude(run, ending), ended: job.ended };
  } catch (error) {
    // The error becomes the job's result; close what the job still has open.
    await job.close().catch(() => {});
    await log.close().catch(() => {});
    throw error;
  } finally {
    reports.close();
  }
}

/** Undefined when the job was given back or no longer belongs to this agent. */
async function workThrough(run: StartedRun, open: OpenJob): Promise<Ending | undefined> {
  // Rules that changed after a job had begun do not stop it.
  const refusal = isNew(run)
    ? refusalByRules(run.agent.config, open.job.info, run.plan)
    : undefined;
  const work = refusal ?? readPlan(run, open);
  if (work instanceof JobFailure) return { kind: "failed", failure: work };
  // Stored before the first report, so that an agent that resumes the job has its token.
  if (work.needsDirectories === true && run.token !== undefined) {
    await storeToken(run.agent.runDir.path, run.record.state.execution_id, run.token);
  }
  // The token was lost with the agent that claimed the job. Given back, the job is claimed again with a new one.
  if (work.needsDirectories === true && hasLostToken(run) && (await run.giveBack()))
    return undefined;
  const first = work.prepare === undefined ? "in-progress" : "initializing";
  const refused = await reportFirst(run, first);
  if (refused !== undefined) return refused === "over" ? undefined : refused;
  const ending = await attempt(run, work, open);
  run.log.sendOff();
  if (work.needsDirectories === true && ending !== undefined) await keepOutcome(run, ending);
  if (await run.wasGivenBack()) return await leave(run, { work, open });
  if (open.isOpen() || work.cleanup !== undefined) run.reports.tell("cleaning-up");
  await cleanUp(run, { work, open });
  return ending;
}

const hasLostToken = (run: StartedRun): boolean =>
  run.token === undefined &&
  isNew(run) &&
  !hasStoredToken(run.agent.runDir.path, run.record.state.execution_id);

const isNew = ({ record }: StartedRun): boolean => record.state.reported === "pending";

function readPlan({ record: { state } }: StartedRun, { job }: OpenJob): JobWork | JobFailure {
  try {
    return workOf(state.job, job.plan, state.is_simulated === true);
  } catch (error) {
    if (error instanceof JobFailure) return error;
    throw error;
  }
}

/** Nothing with visible effects happens before the broker has accepted the first report. */
async function reportFirst(
  run: StartedRun,
  status: ReportedStatus,
): Promise<Ending | "over" | undefined> {
  const { record, stop } = run;
  try {
    if (record.state.reported === "pending") await run.reports.first(status, stop.signal);
    else status = record.state.reported;
  } catch (error) {
    if (isJobOver(error)) return "over";
    if (!stop.signal.aborted) throw error;
  }
  if (await run.wasGivenBack()) return "over";
  if (stop.signal.aborted) {
    const cause = causeOf(stop.signal);
    if (record.state.reported === "pending" && isAnothers(cause)) return "over";
    if (record.state.reported === "pending" && cause.kind === "agent-stopped") {
      if (await run.giveBack()) return "over";
    }
    if (record.state.reported === "pending") return { kind: "stopped", cause };
  }
  record.state.reported = status;
  run.enter(status);
  return undefined;
}

/** Prepares and executes the job; an error becomes its ending. */
async function attempt(run: StartedRun, work: JobWork, open: OpenJob): Promise<Ending | undefined> {
  const { stop, record } = run;
  try {
    if (work.needsDirectories === true) await open.openDirectories(work);
    const { outcome } = record.state;
    if (outcome !== undefined) return { kind: "kept", outcome };
    if (needsApproval(work, open.job)) await askApproval(open.job);
    if (work.prepare !== undefined) {
      await work.prepare(open.job);
      if (await run.wasGivenBack()) return undefined;
      run.reports.tell("in-progress");
      run.enter("in-progress");
    }
    if (work.timeoutMs !== undefined) {
      record.state.timeout_ms = work.timeoutMs; // stored together with the first child
      const leftMs = record.state.started_at_ms + work.timeoutMs - Date.now();
      stop.stopAfter(leftMs, "job-timeout", `after ${formatDuration(work.timeoutMs * 1e6)}`);
    }
    if (stop.signal.aborted) return { kind: "stopped", cause: causeOf(stop.signal) };
    return { kind: "succeeded", result: await work.execute(open.job) };
  } catch (error) {
    const failure = failureOf(run, error);
    if (!stop.signal.aborted) return { kind: "failed", failure };
    return { kind: "stopped", cause: causeOf(stop.signal), failure };
  }
}

/**
 * Stores the outcome, so that an agent that resumes the job during its clean-up, when its outputs may be removed,
 * reports the same. It need not survive a power failure: the stored ends of the steps lead to the same outcome.
 */
async function keepOutcome({ record, redactor }: StartedRun, ending: Ending): Promise<void> {
  record.state.outcome = jobOutcome(ending, redactor);
  await record.save();
}

/** An unexpected error is the agent's fault: the job reports it as internal, and the agent's log has the details. */
function failureOf({ agent, record }: StartedRun, error: unknown): JobFailure {
  if (error instanceof JobFailure) return error;
  agent.log.error(
    { err: error, execution_id: record.state.execution_id },
    "a job failed because of an error of the agent",
  );
  return internalFailure(error);
}

type Worked = { readonly work: JobWork; readonly open: OpenJob };

/** Cleans up without a result: the broker does not expect one. */
async function leave(run: StartedRun, worked: Worked): Promise<undefined> {
  await cleanUp(run, worked);
  await run.log.close().catch(() => {});
}

async function cleanUp(run: StartedRun, { work, open }: Worked): Promise<void> {
  run.enter("cleaning-up");
  const { agent, record, log } = run;
  const logError = (err: unknown, words: string): void =>
    agent.log.error({ err, execution_id: record.state.execution_id }, words);
  const done = new AbortController();
  try {
    const bound = (): Promise<void> => pause(mostCleanupMs, run.stop.killSignal, done.signal);
    if (work.cleanup !== undefined) await Promise.race([work.cleanup(open.job), bound()]);
  } catch (error) {
    logError(error, "cleaning up a job failed");
  } finally {
    done.abort();
  }
  try {
    for (const words of await open.close()) log.write(words, "warn");
  } catch (error) {
    logError(error, "closing a job failed");
  }
}

const mostCleanupMs = 30_000;

/** Writes the last lines and makes the result, which names the number of the last record. */
async function conclude(run: StartedRun, ending: Ending): Promise<PendingResult> {
  const { redactor, log, record, agent } = run;
  const { words, ...finish } = jobOutcome(ending, redactor);
  if (hidesOutputs(outputsOf(ending), redactor)) {
    log.write("Secrets in the outputs were replaced by ***.", "warn");
  }
  // A step may have logged the same words already.
  const isSaid = redactor.redactText(log.lastError() ?? "") === words;
  if (finish.status !== "finished" && words !== "" && !isSaid) log.write(words, "error");
  const { lastRecord } = await log.close().catch((error: unknown) => {
    agent.log.error(
      { err: error, execution_id: record.state.execution_id },
      "closing a job's log failed",
    );
    return { lastRecord: undefined };
  });
  return {
    job_id: record.state.job.id,
    finish: { ...finish, ...(lastRecord !== undefined && { last_record: lastRecord }) },
  };
}

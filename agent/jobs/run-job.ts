import { getRunnerJobPlanRoute } from "../../shared/api/read-runner-jobs.ts";
import { giveBackExecutionRoute } from "../../shared/api/report-executions.ts";
import { planAnswerBytes } from "../client/broker-client.ts";
import { isJobOver } from "../client/over.ts";
import { makeRedactor } from "../logs/redactor.ts";
import type { ClaimedJob, RunningJob } from "../running-job.ts";
import type { SpooledResult } from "../spool/spooled-result.ts";
import { abandonJob, removeFolders } from "./abandon-job.ts";
import { openExecutionBook } from "./execution-book.ts";
import type { StoredExecution } from "./execution-state.ts";
import type { Plan } from "./handler.ts";
import { crashOf } from "./job-failure.ts";
import type { JobHost } from "./job-host.ts";
import { type Life, liveJob } from "./job-life.ts";
import { type Ending, jobOutcome } from "./job-outcome.ts";
import { restMsOf } from "./registry.ts";
import type { ReportedStatus } from "./status-reports.ts";
import { stopRow } from "./stop-cause.ts";
import { makeStopControl, type StopControl } from "./stop-control.ts";

/** A claimed job, and the broker's clock when it was handed out: deadlines are told by that clock. */
export type Claimed = ClaimedJob & { readonly now?: string };

/** A job that this agent holds. */
export type HeldJob = RunningJob & {
  /** Where it is. */
  readonly phase: () => JobPhase;
  /** Gives it back while no work began; false when it is too late for that. */
  readonly giveBack: () => Promise<boolean>;
};

/** The statuses of an execution as its agent goes through them; `over` when nothing of it is left here. */
export type JobPhase = "pending" | ReportedStatus | "over";

/** Begins a claimed job; it reports itself, and resolves `done` when nothing of it is left here. */
export function startJob(host: JobHost, claimed: Claimed): HeldJob {
  const { job, execution, plan, token, deadline, now } = claimed;
  const startedAtMs = Date.now();
  const deadlineAtMs =
    now === undefined
      ? host.client.clock.toLocalMs(deadline)
      : startedAtMs + Date.parse(deadline) - Date.parse(now);
  const stored: StoredExecution = {
    version: 1,
    execution_id: execution.id,
    job,
    deadline_at_ms: deadlineAtMs,
    started_at_ms: startedAtMs,
    is_simulated: host.settings().sandbox_mode,
    reported: "pending",
    children: {},
    done: {},
  };
  return hold(host, stored, async () => await Promise.resolve({ plan, token }));
}

/**
 * Takes up a job that a former process of this agent began: its plan is fetched anew, its children are adopted, and
 * what was done is not done again.
 */
export function resumeJob(host: JobHost, stored: StoredExecution): HeldJob {
  return hold(host, stored, async (signal) => ({
    plan: await fetchPlan(host, stored.job.id, signal),
    token: undefined,
  }));
}

async function fetchPlan(
  { client, runnerId }: JobHost,
  jobId: string,
  signal: AbortSignal,
): Promise<Plan> {
  const params = { runner_id: runnerId, job_id: jobId };
  const how = { scope: "job", signal, mostBytes: planAnswerBytes } as const;
  const { text } = await client.call(getRunnerJobPlanRoute, { params }, how);
  return JSON.parse(text) as Plan; // a plan is an object: the broker takes no other
}

function hold(host: JobHost, stored: StoredExecution, findPlan: Life["findPlan"]): HeldJob {
  const { job, execution_id } = stored;
  const stop = makeStopControl({
    startedAtMs: stored.started_at_ms,
    deadlineAtMs: stored.deadline_at_ms,
    restMs: restMsOf(job.type),
  });
  let phase: JobPhase = "pending";
  let back: Promise<boolean> | undefined;
  const giveBack = async (): Promise<boolean> => {
    if (phase !== "pending" && phase !== "initializing") return false;
    return await (back ??= askBack(host, stored, stop));
  };
  const life = {
    host,
    stop,
    findPlan,
    enter: (next: ReportedStatus) => void (phase = next),
    giveBack,
    wasGivenBack: async () => (await back) === true,
  };
  const done = live(life, stored).finally(() => {
    phase = "over";
    stop.close();
  });
  return {
    executionId: execution_id,
    jobId: job.id,
    group: job.group,
    type: job.type,
    phase: () => phase,
    done,
    stop: (reason, how) => stop.stop({ kind: reason }, how),
    giveBack,
  };
}

const mostBackMs = 30_000;

async function askBack(
  { client, log }: JobHost,
  { job, execution_id }: StoredExecution,
  stop: StopControl,
): Promise<boolean> {
  const params = { job_id: job.id, execution_id };
  try {
    const how = { scope: "job", signal: stop.hurry, giveUpAfterMs: mostBackMs } as const;
    await client.call(giveBackExecutionRoute, { params, body: {} }, how);
    stop.stop({ kind: "over" }, "now");
    return true;
  } catch (error) {
    log.warn({ err: error, execution_id }, "a job could not be given back");
    return false;
  }
}

/** Never rejects: even what goes wrong in here is a result. */
async function live(life: Omit<Life, "book">, stored: StoredExecution): Promise<void> {
  const { host } = life;
  const { execution_id } = stored;
  let isTold = false;
  try {
    if (host.results.list().includes(execution_id)) return await abandonJob(host, execution_id);
    const book = await openExecutionBook(host.config.dataDir, stored, host.log);
    const { result, ended } = await liveJob({ ...life, book });
    if (result !== undefined) await tell(host, execution_id, result);
    isTold = true;
    const forget = async (): Promise<void> => {
      for (const child of ended) await child.remove();
      await removeFolders(host.runDir.path, execution_id);
      await book.remove();
    };
    if (host.results.isSafe(execution_id)) await forget();
    else forgetLater(host, execution_id, forget);
  } catch (error) {
    if (!isTold && !isJobOver(error)) await tellCrash(life, stored, error);
    await abandonJob(host, execution_id);
  }
}

/** While its result is in memory only, what is on disk tells the next process of the agent how it ended. */
function forgetLater({ results, log }: JobHost, id: string, forget: () => Promise<void>): void {
  results
    .safe(id)
    .then(forget)
    .catch((err: unknown) => {
      log.warn({ err, execution_id: id }, "what is left of a job cannot be taken away");
    });
}

async function tell(host: JobHost, executionId: string, result: SpooledResult): Promise<void> {
  await host.results.put(executionId, result);
  host.deliver();
}

/** The job could not be gone on with: nobody should have to wait for its deadline to learn that. */
async function tellCrash(
  { host, stop }: Omit<Life, "book">,
  stored: StoredExecution,
  error: unknown,
): Promise<void> {
  const { job, execution_id } = stored;
  const cause = stop.cause();
  if (cause !== undefined && stopRow(cause).isFenced === true) return;
  const ending: Ending =
    cause !== undefined && error === cause
      ? { kind: "stopped", cause }
      : { kind: "failed", failure: crashOf(error) };
  host.log.error({ err: error, execution_id }, "a job could not be gone on with");
  const { words: _, ...finish } = jobOutcome(ending, makeRedactor(host.secrets()));
  await tell(host, execution_id, { job_id: job.id, finish });
}

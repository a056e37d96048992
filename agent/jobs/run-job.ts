import { giveBackExecutionRoute } from "../../shared/api/report-executions.ts";
import type { AgentContext } from "../agent-context.ts";
import { isJobOver } from "../client/broker-errors.ts";
import type { LocalContext } from "../local-context.ts";
import { makeRedactor } from "../logs/redactor.ts";
import type { ClaimedJob, RunningJob } from "../running-job.ts";
import type { PendingResult } from "../spool/result-outbox.ts";
import { abandonJob, removeFolders } from "./abandon-job.ts";
import { cleanUpRemote } from "./clean-up-remote.ts";
import { type ExecutionContext, executeJob } from "./execute-job.ts";
import { openExecutionRecord } from "./execution-record.ts";
import { fetchPlan } from "./fetch-plan.ts";
import { gracesOf } from "./handler-registry.ts";
import { internalFailure } from "./job-failure.ts";
import { type Ending, jobOutcome } from "./job-outcome.ts";
import { abandoned, type End, endOf, givenBack, recordEnd, reportedBefore } from "./record-end.ts";
import type { ReportedStatus } from "./status-reports.ts";
import { makeStopControl, type StopControl } from "./stop-control.ts";
import type { StoredExecution } from "./stored-execution.ts";
import { concludeSupervised, superviseJob } from "./supervise-job.ts";

/** A claimed job, and the broker's time when it was handed out, in which its deadline is given. */
export type Claimed = ClaimedJob & { readonly now?: string };

/** A job that this agent holds. */
export type HeldJob = RunningJob & {
  /** The current phase. */
  readonly phase: () => JobPhase;
  /** Gives the job back if no work has begun; false when it is too late. */
  readonly giveBack: () => Promise<boolean>;
};

/** The phases of an execution at its agent; `over` when nothing of it is left here. */
export type JobPhase = "pending" | ReportedStatus | "over";

/** Starts a claimed job. The job reports itself; `done` resolves when nothing of it is left here. */
export function startJob(agent: AgentContext, claimed: Claimed): HeldJob {
  const { job, execution, plan, token, deadline, now } = claimed;
  const startedAtMs = Date.now();
  const deadlineAtMs =
    now === undefined
      ? agent.client.clock.toLocalMs(deadline)
      : startedAtMs + Date.parse(deadline) - Date.parse(now);
  const stored: StoredExecution = {
    version: 1,
    execution_id: execution.id,
    job,
    deadline_at_ms: deadlineAtMs,
    started_at_ms: startedAtMs,
    is_simulated: agent.settings().sandbox_mode,
    reported: "pending",
    children: {},
    done: {},
  };
  return hold({ local: agent, stored, agent: Promise.resolve(agent) }, async () => ({
    begun: await Promise.resolve({ agent, plan, token }),
  }));
}

/**
 * Resumes a job of an earlier process of this agent, as soon as a broker confirms that it has not ended: its plan is
 * fetched again, its children are adopted, and finished work is not repeated. Until then its children are supervised.
 */
export function resumeJob(
  local: LocalContext,
  stored: StoredExecution,
  agent: Promise<AgentContext>,
): HeldJob {
  return hold({ local, stored, agent }, async (stop) => {
    const begin = async (): Promise<Begun> => {
      const connected = await agent;
      await connected.leases.mayBegin(stored.execution_id, stop.signal);
      const plan = await fetchPlan(connected, stored.job.id, { signal: stop.signal });
      return { agent: connected, plan, token: undefined };
    };
    return await superviseJob({ local, stored, stop }, begin());
  });
}

type Begun = Pick<ExecutionContext, "agent" | "plan" | "token">;
/** What a job needs to begin or to resume; undefined when it was stopped before that. */
type Begin = (stop: StopControl) => Promise<{ readonly begun: Begun } | undefined>;

type Held = {
  readonly local: LocalContext;
  readonly stored: StoredExecution;
  /** Resolves when there is a broker. */
  readonly agent: Promise<AgentContext>;
};

function hold(held: Held, begin: Begin): HeldJob {
  const { stored } = held;
  const { job, execution_id } = stored;
  const stop = makeStopControl({
    startedAtMs: stored.started_at_ms,
    deadlineAtMs: stored.deadline_at_ms,
    ...gracesOf(job.type),
  });
  let phase: JobPhase = "pending";
  let back: Promise<boolean> | undefined;
  const giveBack = async (): Promise<boolean> => {
    if (phase !== "pending" && phase !== "initializing") return false;
    return await (back ??= held.agent.then((agent) => askToGiveBack(agent, stored, stop)));
  };
  const context = {
    stop,
    enter: (next: ReportedStatus) => void (phase = next),
    giveBack,
    wasGivenBack: async () => (await back) === true,
  };
  const done = run(held, context, begin)
    .then(async (end) =>
      recordEnd(held.local, stored, (await context.wasGivenBack()) ? givenBack : end),
    )
    .finally(() => {
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

async function askToGiveBack(
  { client, log }: AgentContext,
  { job, execution_id }: StoredExecution,
  stop: StopControl,
): Promise<boolean> {
  const params = { job_id: job.id, execution_id };
  try {
    const how = { scope: "job", signal: stop.killSignal, giveUpAfterMs: mostBackMs } as const;
    await client.call(giveBackExecutionRoute, { params, body: {} }, how);
    stop.stop({ kind: "over" }, "now");
    return true;
  } catch (error) {
    log.warn({ err: error, execution_id }, "giving back a job failed");
    return false;
  }
}

type HeldContext = Omit<ExecutionContext, "record" | keyof Begun>;

/** Never rejects: an internal error becomes the job's result. */
async function run(held: Held, context: HeldContext, begin: Begin): Promise<End> {
  const { local, stored } = held;
  const { execution_id } = stored;
  let end: End = abandoned;
  let isTold = false;
  try {
    if (local.results.list().includes(execution_id)) {
      await abandonJob(local, execution_id);
      return reportedBefore;
    }
    const record = await openExecutionRecord(local.config.dataDir, stored, local.log);
    const beginning = await begin(context.stop);
    if (beginning === undefined) {
      const stopped = { local, stored, stop: context.stop };
      await cleanUpRemote({ ...stopped, record, agent: held.agent });
      end = await reportResult(held, await concludeSupervised(stopped));
      isTold = true;
      await whenSafe(local, execution_id, () => abandonJob(local, execution_id));
      return end;
    }
    const { result, ended } = await executeJob({ ...context, ...beginning.begun, record });
    if (result !== undefined) end = await reportResult(held, result);
    isTold = true;
    await whenSafe(local, execution_id, async () => {
      for (const child of ended) await child.remove();
      await removeFolders(local.runDir.path, execution_id);
      await record.remove();
    });
  } catch (error) {
    if (!isTold && !isJobOver(error)) end = await reportCrash(held, context, error);
    await abandonJob(local, execution_id);
  }
  return end;
}

/**
 * Removes the job's state when its result is stored. Until then that state tells the next agent process how the job
 * ended.
 */
async function whenSafe(
  { results, log }: LocalContext,
  id: string,
  forget: () => Promise<void>,
): Promise<void> {
  if (results.isSafe(id)) return await forget();
  results
    .safe(id)
    .then(forget)
    .catch((err: unknown) => {
      log.warn({ err, execution_id: id }, "removing the leftovers of a job failed");
    });
}

async function reportResult({ local, stored, agent }: Held, result: PendingResult): Promise<End> {
  await local.results.put(stored.execution_id, result);
  void agent.then(({ deliver }) => deliver());
  return endOf(result);
}

/** Reports an internal error at once, so that nobody has to wait for the job's deadline. */
async function reportCrash(
  held: Held,
  { stop, wasGivenBack }: HeldContext,
  error: unknown,
): Promise<End> {
  const { job, execution_id } = held.stored;
  const cause = stop.cause();
  if (await wasGivenBack()) return givenBack;
  const ending: Ending =
    cause !== undefined && error === cause
      ? { kind: "stopped", cause }
      : { kind: "failed", failure: internalFailure(error) };
  held.local.log.error(
    { err: error, execution_id },
    "a job failed because of an error of the agent",
  );
  const { words: _, ...finish } = jobOutcome(ending, makeRedactor([]));
  return await reportResult(held, { job_id: job.id, finish });
}

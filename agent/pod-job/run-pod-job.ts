import path from "node:path";
import { getRunnerJobPlanRoute } from "../../shared/api/read-runner-jobs.ts";
import { updateExecutionRoute } from "../../shared/api/report-executions.ts";
import type { RunnerSettings } from "../../shared/api/runner-settings.ts";
import { version } from "../../shared/version.ts";
import type { AgentContext } from "../agent-context.ts";
import { type BrokerClient, makeBrokerClient, planAnswerBytes } from "../client/broker-client.ts";
import { makeBrokerClock } from "../client/broker-clock.ts";
import { isJobOver, Unanswered } from "../client/broker-errors.ts";
import { networkOfChildren, openTransport } from "../client/network.ts";
import { pause } from "../client/pause.ts";
import { makeTokenSource } from "../client/token-source.ts";
import type { AgentConfig } from "../config/read-config.ts";
import { ExitError } from "../exit-error.ts";
import { type LocalContext, openLocalContext } from "../local-context.ts";
import type { Log } from "../log.ts";
import { openLogs } from "../logs/open-logs.ts";
import { makeSendLogs } from "../logs/send-logs.ts";
import { deliver } from "../loops/deliver.ts";
import { type LoopRunner, makeLoopRunner } from "../loops/loop-runner.ts";
import { makeNextPoll } from "../loops/next-poll.ts";
import { uploadStates } from "../loops/upload-states.ts";
import { makeWakeUp } from "../loops/wake-up.ts";
import { type OneJob, withShownLog } from "../one-job.ts";
import { makeExecutionLeases } from "../orders/execution-leases.ts";
import { takeDataDir } from "../paths/data-dir.ts";
import { withOwnProgram } from "../paths/own-program.ts";
import { flush, stopAll } from "../shutdown/shut-down.ts";
import { type ShutdownState, makeShutdownState } from "../shutdown/shutdown-state.ts";
import { makeSignalHandler } from "../shutdown/signal-handler.ts";
import type { PodJob } from "./pod-job.ts";
import { askOnce, watchExecution } from "./watch-execution.ts";

export type Doing = {
  readonly config: AgentConfig;
  readonly log: Log;
  readonly given: PodJob;
  readonly onOutput: OneJob["onOutput"];
  /** Gets the signal handler before anything begins. */
  readonly hearSignals: (signal: ReturnType<typeof makeSignalHandler>) => void;
};

/** How the job ended here, and whether everything was delivered. */
export type Done = { readonly status: string; readonly isAllSent: boolean };

/**
 * Runs a job that another process claimed, with the job's token only: it reports, ships the log, learns of a stop, and
 * ends. Undefined when the job has already begun elsewhere or has ended: then nothing is done.
 */
export async function runPodJob(doing: Doing): Promise<Done | undefined> {
  const { given, log } = doing;
  const shutdown = makeShutdownState();
  doing.hearSignals(makeSignalHandler({ ...doing.config, onSigterm: "cancel" }, shutdown));
  const dataDir = await takeDataDir(doing.config.dataDir);
  // Tools of the job connect to the broker, too.
  const config = await withOwnProgram({ ...doing.config, brokerUrl: given.broker_url });
  const local = await openLocalContext(config, log);
  const client = openClient({ ...doing, config }, shutdown);
  try {
    if (!(await isUnbegun(client, given, shutdown))) return undefined;
    const plan = await fetchPlan(client, given, shutdown);
    return await doIt({ local, client, shutdown, doing }, plan);
  } catch (error) {
    const leaving = shutdown.current();
    if (leaving !== undefined) {
      throw new ExitError(
        leaving.exit,
        `The agent stopped before its job started: ${leaving.why}`,
        error,
      );
    }
    if (!(error instanceof Unanswered)) throw error;
    throw new ExitError("unreachable", `The broker cannot be reached: ${error.message}`, error);
  } finally {
    client.close();
    local.results.close();
    await local.jobCgroups.close();
    await dataDir.release();
  }
}

function openClient({ config, given, log }: Doing, shutdown: ShutdownState): BrokerClient {
  return makeBrokerClient({
    transport: openTransport(config),
    tokens: makeTokenSource(given.token, () => undefined),
    clock: makeBrokerClock(),
    log,
    limits: { fromMs: config.retryFrom, mostMs: config.retryMost },
    requestTimeoutMs: config.requestTimeout,
    userAgent: `svc-agent/${version}`,
    onEnd({ status, message }) {
      // A job's token is refused much that a runner's token may do; a refusal does not end it.
      if (status === 403) return;
      const why = `the broker refuses the job's token or this version: ${message}`;
      shutdown.request({ urgency: "stopping", exit: "unauthorized", why });
    },
  });
}

const idsOf = ({ job, execution }: PodJob) => ({ job_id: job.id, execution_id: execution.id });

/** This report ends the status pending, so a second start of the same job sees that and does nothing. */
async function isUnbegun(
  client: BrokerClient,
  given: PodJob,
  { requested: signal }: ShutdownState,
): Promise<boolean> {
  const input = { params: idsOf(given), body: { status: "pending" as const } };
  try {
    const { body } = await client.call(updateExecutionRoute, input, { scope: "job", signal });
    return body.status === "pending"; // a late report on an ended execution is accepted and changes nothing
  } catch (error) {
    if (isJobOver(error)) return false;
    throw error;
  }
}

async function fetchPlan(
  client: BrokerClient,
  { runner_id, job }: PodJob,
  { requested: signal }: ShutdownState,
): Promise<Record<string, unknown>> {
  const input = { params: { runner_id, job_id: job.id } };
  const how = { scope: "job", signal, mostBytes: planAnswerBytes } as const;
  const { text } = await client.call(getRunnerJobPlanRoute, input, how);
  return JSON.parse(text) as Record<string, unknown>; // the broker accepts only objects as plans
}

type Begun = {
  readonly local: LocalContext;
  readonly client: BrokerClient;
  readonly shutdown: ShutdownState;
  readonly doing: Doing;
};

async function doIt(begun: Begun, plan: Record<string, unknown>): Promise<Done> {
  const { local, shutdown, doing } = begun;
  const { job, execution, token, deadline } = doing.given;
  const bells = { watch: makeWakeUp(), deliver: makeWakeUp() };
  const limits = { fromMs: local.config.retryFrom, mostMs: local.config.retryMost };
  const loops = makeLoopRunner(local.log, limits, () => {});
  const host = await openHost(begun, loops, bells);
  const over = new AbortController();
  const { startJob } = await import("../jobs/run-job.ts");
  const held = startJob(host, { job, execution, plan, token, deadline });
  local.runningJobs.add(held);
  const watched = { agent: host, job: held };
  const figures = { delivered: 0, refusedResults: 0 };
  const parts = { agent: host, figures, nextPoll: makeNextPoll() };
  const { signal } = over;
  const running = [
    loops.run("watch", signal, (loop) => watchExecution(watched, loop, bells.watch)),
    loops.run("deliver", signal, (loop) => deliver(parts, loop, bells.deliver)),
  ];
  void shutdown.reached("stopping").then(async () => {
    // After a signal, first learn whether the job has ended: that is then the stop reason.
    const asked = askOnce(watched, AbortSignal.timeout(askWithinMs)).catch(() => {});
    await Promise.race([asked, shutdown.reached("killing")]);
    await stopAll(local, shutdown);
  });
  await held.done;
  running.push(loops.run("states", signal, (loop) => uploadStates(parts, loop)));
  const isAllSent = await sendAll(host, shutdown);
  over.abort();
  await Promise.all(running);
  await host.shipping.stop();
  return { status: local.jobMetrics.counts()[0]?.status ?? "", isAllSent };
}

const askWithinMs = 2_000;
const lookEveryMs = 100;

/** Nobody else will deliver what is left here, so it continues until everything is sent or the process must end. */
async function sendAll(host: AgentContext, shutdown: ShutdownState): Promise<boolean> {
  const { config, rescued } = host;
  for (;;) {
    const untilMs = performance.now() + config.flushTimeout;
    const isFlushed = await flush(host, shutdown);
    let states = await rescued.list();
    while (states.length > 0 && performance.now() < untilMs) {
      await pause(lookEveryMs);
      states = await rescued.list();
    }
    const isAllSent = isFlushed && states.length === 0;
    if (isAllSent || shutdown.isRequested()) return isAllSent;
  }
}

async function openHost(
  { local, client, doing: { given, onOutput } }: Begun,
  loops: LoopRunner,
  bells: Readonly<Record<"watch" | "deliver", ReturnType<typeof makeWakeUp>>>,
): Promise<AgentContext> {
  const { config, log } = local;
  const leases = makeExecutionLeases(bells.watch.wake);
  const logs = await openLogs({
    dir: path.join(config.dataDir, "logs"),
    send: makeSendLogs(client),
    clock: client.clock,
    log,
    limits: { fromMs: config.retryFrom, mostMs: config.retryMost },
    spools: local.logSpools,
    onDoubt: leases.recheck,
  });
  const shown: OneJob = {
    waitMs: undefined,
    onOutput,
    onJob: () => {},
    onEnd: () => {},
  };
  return {
    ...local,
    ...logs,
    openJobLog: withShownLog(logs.openJobLog, shown),
    client,
    runnerId: given.runner_id,
    networkEnv: networkOfChildren(config),
    // The process that claimed the job sends the heartbeats.
    process: () => ({ id: "", secret: "" }),
    deliver: bells.deliver.wake,
    leases,
    settings: () => given.settings as unknown as RunnerSettings, // the writer of the file had all of them
    secrets: () => [given.token],
    health: loops.health,
    requestShutdown: () => {},
  };
}

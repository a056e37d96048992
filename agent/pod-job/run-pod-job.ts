import path from "node:path";
import { getRunnerJobPlanRoute } from "../../shared/api/read-runner-jobs.ts";
import { updateExecutionRoute } from "../../shared/api/report-executions.ts";
import type { RunnerSettings } from "../../shared/api/runner-settings.ts";
import { version } from "../../shared/version.ts";
import { type BrokerClient, makeBrokerClient, planAnswerBytes } from "../client/broker-client.ts";
import { makeBrokerClock } from "../client/broker-clock.ts";
import { networkOfChildren, openTransport } from "../client/network.ts";
import { isJobOver, Unanswered } from "../client/broker-errors.ts";
import { pause } from "../client/pause.ts";
import { makeTokenBook } from "../client/token-source.ts";
import type { AgentConfig } from "../config/read-config.ts";
import { ExitError } from "../exit-error.ts";
import { type Departure, makeDeparture } from "../shutdown/shutdown-state.ts";
import { flush, stopAll } from "../shutdown/shut-down.ts";
import { makeSignalDesk } from "../shutdown/signal-handler.ts";
import type { JobHost } from "../jobs/job-host.ts";
import type { Log } from "../log.ts";
import { openLogs } from "../logs/open-logs.ts";
import { makeSendLogs } from "../logs/send-logs.ts";
import { bringStates } from "../loops/upload-states.ts";
import { deliver } from "../loops/deliver.ts";
import { type LoopBook, makeLoopBook } from "../loops/loop-runner.ts";
import { makeWakeUp } from "../loops/wake-up.ts";
import { type OneJob, withShownLog } from "../one-job.ts";
import { type AgentGround, openGround } from "../local-context.ts";
import { makeTruthBook } from "../orders/execution-leases.ts";
import { takeDataDir } from "../paths/data-dir.ts";
import { withOwnProgram } from "../paths/own-program.ts";
import type { GivenJob } from "./pod-job.ts";
import { askOnce, watchExecution } from "./watch-execution.ts";

export type Doing = {
  readonly config: AgentConfig;
  readonly log: Log;
  readonly given: GivenJob;
  readonly onOutput: OneJob["onOutput"];
  /** Given what to do at a signal, before anything begins. */
  readonly hearSignals: (signal: ReturnType<typeof makeSignalDesk>) => void;
};

/** How it ended here, and whether the broker has been told all. */
export type Done = { readonly status: string; readonly isAllSent: boolean };

/**
 * Does a job that another process has claimed, with the job's own token and no other: it reports, ships its log, learns
 * that it is over and ends by itself. Undefined where it has begun before, or is over: then nothing is done.
 */
export async function doGivenJob(doing: Doing): Promise<Done | undefined> {
  const { given, log } = doing;
  const departure = makeDeparture();
  doing.hearSignals(makeSignalDesk({ ...doing.config, onSigterm: "cancel" }, departure));
  const dataDir = await takeDataDir(doing.config.dataDir);
  // Tools of jobs go to the broker, too.
  const config = await withOwnProgram({ ...doing.config, brokerUrl: given.broker_url });
  const ground = await openGround(config, log);
  const client = openClient({ ...doing, config }, departure);
  try {
    if (!(await isUnbegun(client, given, departure))) return undefined;
    const plan = await fetchPlan(client, given, departure);
    return await doIt({ ground, client, departure, doing }, plan);
  } catch (error) {
    const leaving = departure.leaving();
    if (leaving !== undefined) {
      throw new ExitError(leaving.exit, `It stopped before its job began: ${leaving.why}`, error);
    }
    if (!(error instanceof Unanswered)) throw error;
    throw new ExitError("unreachable", `The broker cannot be reached: ${error.message}`, error);
  } finally {
    client.close();
    ground.results.close();
    await ground.jobCgroups.close();
    await dataDir.release();
  }
}

function openClient({ config, given, log }: Doing, departure: Departure): BrokerClient {
  return makeBrokerClient({
    transport: openTransport(config),
    tokens: makeTokenBook(given.token, () => undefined),
    clock: makeBrokerClock(),
    log,
    limits: { fromMs: config.retryFrom, mostMs: config.retryMost },
    requestTimeoutMs: config.requestTimeout,
    userAgent: `svc-agent/${version}`,
    onEnd({ status, message }) {
      // A job's token is refused much that a runner's is not, and lives on.
      if (status === 403) return;
      const why = `the broker refuses the job's token, or this version: ${message}`;
      departure.begin({ urgency: "stopping", exit: "unauthorized", why });
    },
  });
}

const idsOf = ({ job, execution }: GivenJob) => ({ job_id: job.id, execution_id: execution.id });

/** What has begun cannot be pending any more: a second start of the same job finds that out, and does nothing. */
async function isUnbegun(
  client: BrokerClient,
  given: GivenJob,
  { begun: signal }: Departure,
): Promise<boolean> {
  const input = { params: idsOf(given), body: { status: "pending" as const } };
  try {
    const { body } = await client.call(updateExecutionRoute, input, { scope: "job", signal });
    return body.status === "pending"; // of what has ended a report that comes late is taken, and changes nothing
  } catch (error) {
    if (isJobOver(error)) return false;
    throw error;
  }
}

async function fetchPlan(
  client: BrokerClient,
  { runner_id, job }: GivenJob,
  { begun: signal }: Departure,
): Promise<Record<string, unknown>> {
  const input = { params: { runner_id, job_id: job.id } };
  const how = { scope: "job", signal, mostBytes: planAnswerBytes } as const;
  const { text } = await client.call(getRunnerJobPlanRoute, input, how);
  return JSON.parse(text) as Record<string, unknown>; // a plan is an object: the broker takes no other
}

type Begun = {
  readonly ground: AgentGround;
  readonly client: BrokerClient;
  readonly departure: Departure;
  readonly doing: Doing;
};

async function doIt(begun: Begun, plan: Record<string, unknown>): Promise<Done> {
  const { ground, departure, doing } = begun;
  const { job, execution, token, deadline } = doing.given;
  const bells = { watch: makeWakeUp(), deliver: makeWakeUp() };
  const limits = { fromMs: ground.config.retryFrom, mostMs: ground.config.retryMost };
  const loops = makeLoopBook(ground.log, limits, () => {});
  const host = await openHost(begun, loops, bells);
  const over = new AbortController();
  const { startJob } = await import("../jobs/run-job.ts");
  const held = startJob(host, { job, execution, plan, token, deadline });
  ground.roster.add(held);
  const watched = { agent: host, job: held };
  const parts = { agent: host, figures: { delivered: 0, refusedResults: 0 } };
  const { signal } = over;
  const running = [
    loops.run("watch", signal, (loop) => watchExecution(watched, loop, bells.watch)),
    loops.run("deliver", signal, (loop) => deliver(parts, loop, bells.deliver)),
  ];
  void departure.reached("stopping").then(async () => {
    // Who was told to go learns first whether the job is over: then that is the reason.
    const asked = askOnce(watched, AbortSignal.timeout(askWithinMs)).catch(() => {});
    await Promise.race([asked, departure.reached("killing")]);
    await stopAll(ground, departure);
  });
  await held.done;
  running.push(loops.run("states", signal, (loop) => bringStates(parts, loop)));
  const isAllSent = await sendAll(host, departure);
  over.abort();
  await Promise.all(running);
  await host.shipping.stop();
  return { status: ground.ends.counts()[0]?.status ?? "", isAllSent };
}

const askWithinMs = 2_000;
const lookEveryMs = 100;

/** Nobody sends later what is left here: it goes on until all is sent, or somebody wants this process to go. */
async function sendAll(host: JobHost, departure: Departure): Promise<boolean> {
  const { config, rescued } = host;
  for (;;) {
    const untilMs = performance.now() + config.flushTimeout;
    const isFlushed = await flush(host, departure);
    let states = await rescued.list();
    while (states.length > 0 && performance.now() < untilMs) {
      await pause(lookEveryMs);
      states = await rescued.list();
    }
    const isAllSent = isFlushed && states.length === 0;
    if (isAllSent || departure.isLeaving()) return isAllSent;
  }
}

async function openHost(
  { ground, client, doing: { given, onOutput } }: Begun,
  loops: LoopBook,
  bells: Readonly<Record<"watch" | "deliver", ReturnType<typeof makeWakeUp>>>,
): Promise<JobHost> {
  const { config, log } = ground;
  const truth = makeTruthBook(bells.watch.wake);
  const logs = await openLogs({
    dir: path.join(config.dataDir, "logs"),
    send: makeSendLogs(client),
    clock: client.clock,
    log,
    limits: { fromMs: config.retryFrom, mostMs: config.retryMost },
    spools: ground.logSpools,
    onDoubt: truth.doubt,
  });
  const shown: OneJob = {
    waitMs: undefined,
    onOutput,
    onJob: () => {},
    onEnd: () => {},
  };
  return {
    ...ground,
    ...logs,
    openJobLog: withShownLog(logs.openJobLog, shown),
    client,
    runnerId: given.runner_id,
    networkEnv: networkOfChildren(config),
    // The process that has claimed the job beats for it; this one is none.
    process: () => ({ id: "", secret: "" }),
    deliver: bells.deliver.wake,
    truth,
    settings: () => given.settings as unknown as RunnerSettings, // whoever wrote the file had them whole
    secrets: () => [given.token],
    health: loops.health,
    goDown: () => {},
  };
}

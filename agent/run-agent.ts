import { type AgentContext, type Connection, openAgentContext } from "./agent-context.ts";
import type { Refused } from "./client/broker-errors.ts";
import type { TokenSource } from "./client/token-source.ts";
import type { Executor } from "./jobs/host-executor.ts";
import type { LocalContext } from "./local-context.ts";
import { beat } from "./loops/beat.ts";
import { claim } from "./loops/claim.ts";
import { deliver } from "./loops/deliver.ts";
import type { LoopContext, LoopFigures } from "./loops/loop-context.ts";
import { type LoopRunner, makeLoopRunner } from "./loops/loop-runner.ts";
import { makeNextPoll } from "./loops/next-poll.ts";
import { type RestartTimes, reportRestarts } from "./loops/report-restarts.ts";
import { rotateToken } from "./loops/rotate-token.ts";
import { makeTakeJobs, type StartJob } from "./loops/take-jobs.ts";
import { uploadStates } from "./loops/upload-states.ts";
import { makeWakeUp } from "./loops/wake-up.ts";
import { measureDiskSpace, watchDiskSpace } from "./loops/watch-disk-space.ts";
import { followOneJob, type OneJob, withShownLog } from "./one-job.ts";
import { makeOrderDispatcher } from "./orders/order-dispatcher.ts";
import { applySettings } from "./register/apply-settings.ts";
import { restartTimes } from "./register/restart-times.ts";
import { announceTermination, shutDown } from "./shutdown/shut-down.ts";
import type { ShutdownRequest, ShutdownState } from "./shutdown/shutdown-state.ts";
import { watchHost } from "./shutdown/watch-host.ts";
import { type AgentStatus, statusOf } from "./status/agent-status.ts";
import type { StatusServer } from "./status/status-server.ts";

/** What exists before the loops start. */
export type AgentStart = {
  readonly local: LocalContext;
  readonly connection: Connection;
  readonly executor: Executor;
  readonly shutdown: ShutdownState;
  /** Resolves when the agent shuts down and its jobs have ended, or may not continue. */
  readonly drained: Promise<void>;
  /** The status server; it reports "starting" until the loops run. */
  readonly watch: StatusServer;
  /** Set when the agent runs one job and exits. */
  readonly oneJob?: OneJob | undefined;
};

export type RunningAgent = {
  readonly agent: {
    readonly processId: () => string;
    readonly status: () => AgentStatus;
    readonly watchUrl: string | null;
  };
  readonly gone: Promise<ShutdownRequest>;
};

type WakeUps = Readonly<Record<"claim" | "beat" | "deliver", ReturnType<typeof makeWakeUp>>>;

/** Starts the loops. From here on the agent works until it has shut down. */
export async function runAgent(start: AgentStart): Promise<RunningAgent> {
  const { connection, shutdown, watch, local } = start;
  const { registration, settings } = connection;
  const { config, log } = local;
  const wakeUps = { claim: makeWakeUp(), beat: makeWakeUp(), deliver: makeWakeUp() };
  const limits = { fromMs: config.retryFrom, mostMs: config.retryMost };
  const loops = makeLoopRunner(log, limits, (refused) => obeyRefusal(start, refused));
  const context = await openLoopContext(start, loops, wakeUps);
  const { agent } = context;
  for (const tell of [agent.runningJobs.onChange, shutdown.onChange, settings.onChange]) {
    tell(wakeUps.claim.wake);
  }
  takeRegistrationAnswer(context); // before anything that an earlier process of the agent left is resumed
  registration.onChange(() => {
    takeRegistrationAnswer(context);
    wakeUps.claim.wake();
    wakeUps.beat.wake();
  });
  const over = new AbortController();
  const learnEnd = start.oneJob && followOneJob({ ...agent, shutdown }, start.oneJob);
  const startJob = start.executor.connect(agent);
  const { tokens } = connection;
  const { signal } = over;
  const isManagement = local.management !== undefined;
  const restartAt = applySettings({ config, log, settings, shutdown, signal, isManagement });
  const times = await restartTimes(local, restartAt);
  const ended = startLoops(context, { loops, wakeUps, signal, startJob, tokens, times });
  watch.show(context);
  const host = watchHost(config.env, log, () => void hostGoesDown(agent, shutdown));
  log.info({ runner_id: connection.runnerId, watch: watch.url }, "agent started");
  const stop = async (): Promise<void> => {
    over.abort();
    host.close();
    watch.close();
    await ended;
    await agent.shipping.stop();
    agent.results.close();
    await learnEnd?.(connection.client, connection.runnerId);
    await start.executor.close?.();
    connection.client.close();
    await local.jobCgroups.close();
  };
  const status = (): AgentStatus => statusOf(context);
  return {
    agent: { processId: () => registration.current().id, status, watchUrl: watch.url },
    gone: goneOf(shutDown(context, start.drained), stop),
  };
}

async function openLoopContext(
  { local, connection, shutdown, oneJob }: AgentStart,
  loops: LoopRunner,
  wakeUps: WakeUps,
): Promise<LoopContext> {
  const { registration, settings, client } = connection;
  const beatSoon = wakeUps.beat.wake;
  const around = { shutdown, health: loops.health, deliver: wakeUps.deliver.wake, beatSoon };
  const opened = await openAgentContext(local, connection, around);
  const agent = { ...opened, openJobLog: withShownLog(opened.openJobLog, oneJob) };
  const { runningJobs, log } = agent;
  const { clock } = client;
  return {
    agent,
    shutdown,
    registration,
    settings,
    orders: makeOrderDispatcher({
      runningJobs,
      shutdown,
      settings,
      registration,
      log,
      clock,
      beatSoon,
    }),
    figures: freshFigures(await measureDiskSpace(agent, false)),
    nextPoll: makeNextPoll(),
    mostJobs: oneJob === undefined ? Number.POSITIVE_INFINITY : 1,
  };
}

async function goneOf(
  left: Promise<ShutdownRequest>,
  stop: () => Promise<void>,
): Promise<ShutdownRequest> {
  try {
    return await left;
  } finally {
    await stop();
  }
}

type Looping = {
  readonly loops: LoopRunner;
  readonly wakeUps: WakeUps;
  readonly signal: AbortSignal;
  readonly startJob: StartJob;
  readonly tokens: TokenSource;
  readonly times: () => RestartTimes;
};

function startLoops(
  context: LoopContext,
  { loops, wakeUps, signal, startJob, tokens, times }: Looping,
): Promise<unknown> {
  const take = makeTakeJobs(context, startJob, signal);
  return Promise.all([
    loops.run("claim", signal, (loop) => claim(context, loop, { wakeUp: wakeUps.claim, take })),
    loops.run("beat", signal, (loop) => beat(context, loop, wakeUps.beat)),
    loops.run("deliver", signal, (loop) => deliver(context, loop, wakeUps.deliver)),
    loops.run("states", signal, (loop) => uploadStates(context, loop)),
    loops.run("token", signal, (loop) => rotateToken(context, loop, tokens)),
    loops.run("restarts", signal, (loop) => reportRestarts(context, loop, times)),
    loops.run("room", signal, (loop) => watchDiskSpace(context, loop, wakeUps.claim.wake)),
  ]);
}

/** The broker refused a loop because its process has ended: register again, unless that has happened already. */
function obeyRefusal(
  { shutdown, connection: { registration }, local: { log } }: AgentStart,
  refused: Refused,
): void {
  const { what, processId = registration.current().id } = refused;
  if (what === "process-over" && !shutdown.isRequested()) {
    const failed = (error: unknown): void => {
      log.warn({ err: error }, "registering again failed");
    };
    registration.renew(processId).catch(failed);
  }
}

/** Applies the registration's answer: ended executions are stopped, the others may continue. */
function takeRegistrationAnswer({ registration, orders, agent }: LoopContext): void {
  const { executionIds, asked, orders: told } = registration.told();
  if (told === undefined) return; // an older broker does not say: the first heartbeat asks
  orders.take(registration.current().id, told);
  agent.leases.renewed(executionIds, asked);
}

async function hostGoesDown(agent: AgentContext, shutdown: ShutdownState): Promise<void> {
  const deadlineMs = performance.now() + agent.config.hostGrace;
  shutdown.request({
    urgency: "draining",
    exit: "done",
    why: "its host is shutting down",
    deadlineMs,
  });
  await announceTermination(agent);
}

function freshFigures(room: Awaited<ReturnType<typeof measureDiskSpace>>): LoopFigures {
  const none = {
    claims: 0,
    claimedJobs: 0,
    givenBack: 0,
    beats: 0,
    delivered: 0,
    refusedResults: 0,
    isParked: false,
    unsettled: 0,
  };
  return { ...none, ...room };
}

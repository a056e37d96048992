import path from "node:path";
import type { BrokerClient } from "./client/broker-client.ts";
import type { Refused } from "./client/broker-errors.ts";
import type { TokenSource } from "./client/token-source.ts";
import type { ConnectedParts, Executor } from "./jobs/host-executor.ts";
import type { LocalContext } from "./local-context.ts";
import { openLogs } from "./logs/open-logs.ts";
import { makeSendLogs } from "./logs/send-logs.ts";
import { beat } from "./loops/beat.ts";
import { claim } from "./loops/claim.ts";
import { deliver } from "./loops/deliver.ts";
import type { LoopFigures, LoopParts } from "./loops/loop-parts.ts";
import { type LoopRunner, makeLoopRunner } from "./loops/loop-runner.ts";
import { rotateToken } from "./loops/rotate-token.ts";
import { makeTakeJobs, type StartJob } from "./loops/take-jobs.ts";
import { uploadStates } from "./loops/upload-states.ts";
import { makeWakeUp } from "./loops/wake-up.ts";
import { measureDiskSpace, watchDiskSpace } from "./loops/watch-disk-space.ts";
import { followOneJob, type OneJob, withShownLog } from "./one-job.ts";
import { makeExecutionLeases } from "./orders/execution-leases.ts";
import { makeOrderDispatcher, type OrderDispatcher } from "./orders/order-dispatcher.ts";
import type { AgentParts } from "./parts.ts";
import { applySettings } from "./register/apply-settings.ts";
import type { Registration } from "./register/registration.ts";
import type { SettingsCache } from "./register/settings-cache.ts";
import { announceTermination, leave } from "./shutdown/shut-down.ts";
import type { ShutdownState, ShutdownRequest } from "./shutdown/shutdown-state.ts";
import { watchHost } from "./shutdown/watch-host.ts";
import { type AgentStatus, statusOf } from "./status/agent-status.ts";
import type { StatusServer } from "./status/status-server.ts";

/** What there is before anything runs. */
export type RunParts = {
  readonly ground: LocalContext;
  readonly jobs: Executor;
  readonly shutdown: ShutdownState;
  /** Resolves when the agent goes down and what ran has finished, or may not go on. */
  readonly drained: Promise<void>;
  readonly client: BrokerClient;
  readonly tokens: TokenSource;
  readonly runnerId: string;
  readonly registration: Registration;
  readonly settings: SettingsCache;
  readonly networkEnv: Readonly<Record<string, string>>;
  /** Where it can be watched; until it works it says that it starts. */
  readonly watch: StatusServer;
  /** It does one job and goes. */
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

/** Puts the parts together and starts the loops; the agent works from here on until its departure. */
export async function runAgent(run: RunParts): Promise<RunningAgent> {
  const { shutdown, registration, settings, watch } = run;
  const { config, log } = run.ground;
  const wakeUps = { claim: makeWakeUp(), beat: makeWakeUp(), deliver: makeWakeUp() };
  const limits = { fromMs: config.retryFrom, mostMs: config.retryMost };
  const loops = makeLoopRunner(log, limits, (refused) => obeyRefusal(run, refused));
  const agent = await makeParts(run, loops, wakeUps);
  const figures = freshFigures(await measureDiskSpace(agent, false));
  const orders = makeOrderDispatcher({
    runningJobs: agent.runningJobs,
    shutdown,
    settings,
    registration,
    log,
    clock: run.client.clock,
    beatSoon: wakeUps.beat.wake,
  });
  const mostJobs = run.oneJob === undefined ? Number.POSITIVE_INFINITY : 1;
  const parts: LoopParts = { agent, shutdown, registration, settings, orders, figures, mostJobs };
  for (const tell of [agent.runningJobs.onChange, shutdown.onChange, settings.onChange]) {
    tell(wakeUps.claim.wake);
  }
  const learnTruth = (): void => obeyRegistration(registration, orders, agent);
  learnTruth(); // before anything is gone on with that a former process of the agent began
  registration.onChange(() => {
    learnTruth();
    wakeUps.claim.wake();
    wakeUps.beat.wake();
  });
  const over = new AbortController();
  const learnEnd =
    run.oneJob && followOneJob({ runningJobs: agent.runningJobs, shutdown }, run.oneJob);
  const openJobLog = withShownLog(agent.openJobLog, run.oneJob);
  const start = run.jobs.connect({ ...agent, openJobLog });
  const ended = startLoops(parts, {
    loops,
    wakeUps,
    signal: over.signal,
    start,
    tokens: run.tokens,
  });
  applySettings({ ...run, ...run.ground, signal: over.signal });
  watch.show(parts);
  const host = watchHost(config.env, log, () => void hostGoesDown(agent, shutdown));
  log.info({ runner_id: run.runnerId, watch: watch.url }, "the agent works");
  const stop = async (): Promise<void> => {
    over.abort();
    host.close();
    watch.close();
    await ended;
    await agent.shipping.stop();
    agent.results.close();
    await learnEnd?.(run.client, run.runnerId);
    await run.jobs.close?.();
    run.client.close();
    await run.ground.jobCgroups.close();
  };
  const status = (): AgentStatus => statusOf(parts);
  return {
    agent: { processId: () => registration.current().id, status, watchUrl: watch.url },
    gone: goneOf(leave(parts, run.drained), stop),
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
  readonly start: StartJob;
  readonly tokens: TokenSource;
};

function startLoops(
  parts: LoopParts,
  { loops, wakeUps, signal, start, tokens }: Looping,
): Promise<unknown> {
  const take = makeTakeJobs(parts, start, signal);
  return Promise.all([
    loops.run("claim", signal, (loop) => claim(parts, loop, { wakeUp: wakeUps.claim, take })),
    loops.run("beat", signal, (loop) => beat(parts, loop, wakeUps.beat)),
    loops.run("deliver", signal, (loop) => deliver(parts, loop, wakeUps.deliver)),
    loops.run("states", signal, (loop) => uploadStates(parts, loop)),
    loops.run("token", signal, (loop) => rotateToken(parts, loop, tokens)),
    loops.run("room", signal, (loop) => watchDiskSpace(parts, loop, wakeUps.claim.wake)),
  ]);
}

async function makeParts(
  run: RunParts,
  loops: LoopRunner,
  wakeUps: WakeUps,
): Promise<ConnectedParts> {
  const { ground, client, runnerId, registration, settings, tokens, networkEnv } = run;
  const { config, log } = ground;
  const limits = { fromMs: config.retryFrom, mostMs: config.retryMost };
  const leases = makeExecutionLeases(wakeUps.beat.wake);
  const send = makeSendLogs(client);
  const logs = await openLogs({
    dir: path.join(config.dataDir, "logs"),
    send,
    clock: client.clock,
    log,
    limits,
    spools: ground.logSpools,
    onDoubt: leases.recheck,
  });
  return {
    ...ground,
    client,
    runnerId,
    networkEnv,
    ...logs,
    process: registration.current,
    deliver: wakeUps.deliver.wake,
    leases,
    settings: settings.current,
    secrets: () => [tokens.current(), registration.current().secret],
    health: loops.health,
  };
}

/** A loop was refused because its process is over: the agent is another process then, unless it is one already. */
function obeyRefusal(
  { shutdown, registration, ground: { log } }: RunParts,
  refused: Refused,
): void {
  const { what, processId = registration.current().id } = refused;
  if (what === "process-over" && !shutdown.isRequested()) {
    const failed = (error: unknown): void => {
      log.warn({ err: error }, "not registered anew");
    };
    registration.renew(processId).catch(failed);
  }
}

/** What the broker said of what is held here: what is over is stopped, what is not may go on. */
function obeyRegistration(
  registration: Registration,
  orders: OrderDispatcher,
  { leases }: AgentParts,
): void {
  const { executionIds, asked, orders: told } = registration.told();
  if (told === undefined) return; // a broker of the version before: the first beat asks it
  orders.take(registration.current().id, told);
  leases.renewed(executionIds, asked);
}

async function hostGoesDown(agent: AgentParts, shutdown: ShutdownState): Promise<void> {
  const deadlineMs = performance.now() + agent.config.hostGrace;
  shutdown.request({ urgency: "draining", exit: "done", why: "its host goes down", deadlineMs });
  await announceTermination(agent);
}

function freshFigures(room: Pick<LoopFigures, "notClaiming" | "places">): LoopFigures {
  const none = {
    claims: 0,
    claimedJobs: 0,
    givenBack: 0,
    beats: 0,
    delivered: 0,
    refusedResults: 0,
    unsettled: 0,
  };
  return { ...none, ...room };
}

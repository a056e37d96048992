import path from "node:path";
import type { BrokerClient } from "./client/broker-client.ts";
import type { Refused } from "./client/broker-errors.ts";
import type { TokenBook } from "./client/token-source.ts";
import type { Departure, Leaving } from "./shutdown/shutdown-state.ts";
import { watchHost } from "./shutdown/watch-host.ts";
import { announceTermination, leave } from "./shutdown/shut-down.ts";
import { openLogs } from "./logs/open-logs.ts";
import { makeSendLogs } from "./logs/send-logs.ts";
import { beat } from "./loops/beat.ts";
import { bringStates } from "./loops/upload-states.ts";
import { claim } from "./loops/claim.ts";
import { deliver } from "./loops/deliver.ts";
import { type LoopBook, makeLoopBook } from "./loops/loop-runner.ts";
import type { LoopFigures, LoopParts } from "./loops/loop-parts.ts";
import { rotateToken } from "./loops/rotate-token.ts";
import { makeTakeJobs, type StartJob } from "./loops/take-jobs.ts";
import { makeWakeUp } from "./loops/wake-up.ts";
import { seeRoom, watchRoom } from "./loops/watch-disk-space.ts";
import { followOneJob, type OneJob, withShownLog } from "./one-job.ts";
import type { AgentGround } from "./local-context.ts";
import type { ConnectedParts, Jobs } from "./jobs/host-executor.ts";
import { makeOrderBook, type OrderBook } from "./orders/order-dispatcher.ts";
import { makeTruthBook } from "./orders/execution-leases.ts";
import type { AgentParts } from "./parts.ts";
import { obeySettings } from "./register/apply-settings.ts";
import type { Registration } from "./register/registration.ts";
import type { SettingsBook } from "./register/settings-cache.ts";
import { type AgentStatus, statusOf } from "./status/agent-status.ts";
import type { WatchServer } from "./status/status-server.ts";

/** What there is before anything runs. */
export type RunParts = {
  readonly ground: AgentGround;
  readonly jobs: Jobs;
  readonly departure: Departure;
  /** Resolves when the agent goes down and what ran has finished, or may not go on. */
  readonly drained: Promise<void>;
  readonly client: BrokerClient;
  readonly tokens: TokenBook;
  readonly runnerId: string;
  readonly registration: Registration;
  readonly settings: SettingsBook;
  readonly networkEnv: Readonly<Record<string, string>>;
  /** Where it can be watched; until it works it says that it starts. */
  readonly watch: WatchServer;
  /** It does one job and goes. */
  readonly oneJob?: OneJob | undefined;
};

export type RunningAgent = {
  readonly agent: {
    readonly processId: () => string;
    readonly status: () => AgentStatus;
    readonly watchUrl: string | null;
  };
  readonly gone: Promise<Leaving>;
};

type Bells = Readonly<Record<"claim" | "beat" | "deliver", ReturnType<typeof makeWakeUp>>>;

/** Puts the parts together and starts the loops; the agent works from here on until its departure. */
export async function runAgent(run: RunParts): Promise<RunningAgent> {
  const { departure, registration, settings, watch } = run;
  const { config, log } = run.ground;
  const bells = { claim: makeWakeUp(), beat: makeWakeUp(), deliver: makeWakeUp() };
  const limits = { fromMs: config.retryFrom, mostMs: config.retryMost };
  const loops = makeLoopBook(log, limits, (refused) => obeyRefusal(run, refused));
  const agent = await makeParts(run, loops, bells);
  const figures = freshFigures(await seeRoom(agent, false));
  const orders = makeOrderBook({
    roster: agent.roster,
    departure,
    settings,
    registration,
    log,
    clock: run.client.clock,
    beatSoon: bells.beat.wake,
  });
  const mostJobs = run.oneJob === undefined ? Number.POSITIVE_INFINITY : 1;
  const parts: LoopParts = { agent, departure, registration, settings, orders, figures, mostJobs };
  for (const tell of [agent.roster.onChange, departure.onChange, settings.onChange]) {
    tell(bells.claim.wake);
  }
  const learnTruth = (): void => obeyRegistration(registration, orders, agent);
  learnTruth(); // before anything is gone on with that a former process of the agent began
  registration.onChange(() => {
    learnTruth();
    bells.claim.wake();
    bells.beat.wake();
  });
  const over = new AbortController();
  const learnEnd = run.oneJob && followOneJob({ roster: agent.roster, departure }, run.oneJob);
  const openJobLog = withShownLog(agent.openJobLog, run.oneJob);
  const start = run.jobs.connect({ ...agent, openJobLog });
  const ended = startLoops(parts, { loops, bells, signal: over.signal, start, tokens: run.tokens });
  obeySettings({ ...run, ...run.ground, signal: over.signal });
  watch.show(parts);
  const host = watchHost(config.env, log, () => void hostGoesDown(agent, departure));
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

async function goneOf(left: Promise<Leaving>, stop: () => Promise<void>): Promise<Leaving> {
  try {
    return await left;
  } finally {
    await stop();
  }
}

type Looping = {
  readonly loops: LoopBook;
  readonly bells: Bells;
  readonly signal: AbortSignal;
  readonly start: StartJob;
  readonly tokens: TokenBook;
};

function startLoops(
  parts: LoopParts,
  { loops, bells, signal, start, tokens }: Looping,
): Promise<unknown> {
  const take = makeTakeJobs(parts, start, signal);
  return Promise.all([
    loops.run("claim", signal, (loop) => claim(parts, loop, { wakeUp: bells.claim, take })),
    loops.run("beat", signal, (loop) => beat(parts, loop, bells.beat)),
    loops.run("deliver", signal, (loop) => deliver(parts, loop, bells.deliver)),
    loops.run("states", signal, (loop) => bringStates(parts, loop)),
    loops.run("token", signal, (loop) => rotateToken(parts, loop, tokens)),
    loops.run("room", signal, (loop) => watchRoom(parts, loop, bells.claim.wake)),
  ]);
}

async function makeParts(run: RunParts, loops: LoopBook, bells: Bells): Promise<ConnectedParts> {
  const { ground, client, runnerId, registration, settings, tokens, networkEnv } = run;
  const { config, log } = ground;
  const limits = { fromMs: config.retryFrom, mostMs: config.retryMost };
  const truth = makeTruthBook(bells.beat.wake);
  const send = makeSendLogs(client);
  const logs = await openLogs({
    dir: path.join(config.dataDir, "logs"),
    send,
    clock: client.clock,
    log,
    limits,
    spools: ground.logSpools,
    onDoubt: truth.doubt,
  });
  return {
    ...ground,
    client,
    runnerId,
    networkEnv,
    ...logs,
    process: registration.current,
    deliver: bells.deliver.wake,
    truth,
    settings: settings.current,
    secrets: () => [tokens.current(), registration.current().secret],
    health: loops.health,
  };
}

/** A loop was refused because its process is over: the agent is another process then, unless it is one already. */
function obeyRefusal(
  { departure, registration, ground: { log } }: RunParts,
  refused: Refused,
): void {
  const { what, processId = registration.current().id } = refused;
  if (what === "process-over" && !departure.isLeaving()) {
    const failed = (error: unknown): void => {
      log.warn({ err: error }, "not registered anew");
    };
    registration.renew(processId).catch(failed);
  }
}

/** What the broker said of what is held here: what is over is stopped, what is not may go on. */
function obeyRegistration(
  registration: Registration,
  orders: OrderBook,
  { truth }: AgentParts,
): void {
  const { executionIds, asked, orders: told } = registration.told();
  if (told === undefined) return; // a broker of the version before: the first beat asks it
  orders.take(registration.current().id, told);
  truth.heard(executionIds, asked);
}

async function hostGoesDown(agent: AgentParts, departure: Departure): Promise<void> {
  const deadlineMs = performance.now() + agent.config.hostGrace;
  departure.begin({ urgency: "draining", exit: "done", why: "its host goes down", deadlineMs });
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

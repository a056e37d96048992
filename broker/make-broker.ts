import type { Broker } from "./broker.ts";
import { makeDatabaseClock } from "./clocks/database-clock.ts";
import type { Config } from "./config.ts";
import { makeFigures } from "./database-metrics/database-metrics.ts";
import { connect, type Db } from "./database/connect.ts";
import { makeLane } from "./database/limiter.ts";
import { requireCurrentSchema } from "./database/migrate.ts";
import { makeConfirmExecution } from "./executions/confirm-execution.ts";
import { findExecutionCredentials } from "./executions/find-credential.ts";
import { makeReportExecution } from "./executions/report-executions.ts";
import { createHealth, type Health } from "./health.ts";
import { makeBodyReader } from "./http/body/body-reader.ts";
import { createHttpMetrics } from "./http/http-metrics.ts";
import { ByteRoom } from "./http/limits/byte-budget.ts";
import { InflationRoom } from "./http/limits/decompression-budget.ts";
import { limitGuesses } from "./http/limits/limit-guesses.ts";
import { createRateLimiter } from "./http/limits/rate-limit.ts";
import { makeEnqueueSingle } from "./jobs/enqueue-jobs.ts";
import { makeEventFeed } from "./jobs/event-feed.ts";
import { makeHotWay } from "./limits/hot-path.ts";
import { type Bounds, makeBounds } from "./limits/limits.ts";
import { makeSeats } from "./limits/permits.ts";
import type { Log } from "./log.ts";
import { makeLogIntake } from "./logs/intake/log-intake.ts";
import { makeLogFeed } from "./logs/tail/log-feed.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import { type DeskParts, makePollDesk, type PollDesk } from "./polls/polls.ts";
import { makeBeats } from "./processes/beat-processes.ts";
import { missingSealKeys } from "./seals/register-keys.ts";
import type { Seals } from "./seals/seals.ts";
import { makeCollector } from "./telemetry/collector.ts";
import { type Authenticator, createAuthenticator } from "./tokens/authenticator.ts";
import { makeSender, newBrokerId } from "./wake/notify.ts";
import { makeWakes } from "./wake/wakes.ts";

export type MadeBroker = {
  readonly broker: Broker;
  /** This process's name among the brokers of its database. */
  readonly brokerId: string;
  /** Takes what other brokers told. */
  readonly heard: ReturnType<typeof makeWakes>["heard"];
};

/** Puts a broker's parts together; nothing runs and nothing is connected yet. */
export function makeBroker(config: Config, log: Log, seals: Seals): MadeBroker {
  const brokerId = newBrokerId();
  const poolName = `svc broker ${brokerId}`;
  const { db, hotDb, rest } = openPools(config, poolName);
  const metrics = createMetrics();
  const bounds = makeBounds(config.bounds, metrics);
  const seats = makeSeats(rest, bounds, metrics);
  const way = makeHotWay(hotDb, db, seats);
  const sender = makeSender(db, brokerId, log);
  const { heard, ...wakes } = makeWakes(sender.send);
  const heardPeer: typeof heard = (changed) => {
    sender.heardPeer();
    heard(changed);
  };
  const large = measuredRooms(config, metrics);
  const report = makeReportExecution({ way, wakes, seals, lane: large.lane });
  const events = makeEventFeed({ db, wakes, log });
  const logFeed = measuredLogFeed({ db, wakes, log }, metrics);
  const confirm = makeConfirmExecution(hotDb, log);
  const logs = makeLogIntake({ db, way, wakes, log, limits: config.logLimits, confirm, metrics });
  const collector = makeCollector({ config, metrics, log });
  const broker: Broker = {
    config,
    db,
    hotDb,
    clock: makeDatabaseClock(),
    log,
    metrics,
    httpMetrics: createHttpMetrics(metrics),
    health: checkedHealth(db, seals),
    authenticator: measuredAuthenticator(hotDb, metrics),
    rateLimiter: createRateLimiter({ token: config.rateTokenPerS, org: config.rateOrgPerS }),
    bounds,
    seats,
    keysUnderWay: new Map(),
    limitGuesses: guessesOf(config, bounds),
    wakes,
    enqueueSingle: makeEnqueueSingle({ way, seals, lane: large.lane }),
    report,
    beats: makeBeats(way, wakes),
    desk: measuredDesk({ db, way, wakes, log, report, seals }, metrics),
    figures: makeFigures({ metrics, url: config.databaseUrl, pool: db, poolName }),
    events,
    ...large,
    logs,
    logFeed,
    collector,
    confirm,
    seals,
    drain: [
      large.bodies.stop,
      collector.stop,
      sender.stop,
      logs.stop,
      async () => events.drain(),
      async () => logFeed.drain(),
    ],
  };
  return { broker, brokerId, heard: heardPeer };
}

/** Four connections in ten are kept for what is hot: it travels together, and few of them do more than many. */
function openPools({ databaseUrl, poolSize, lockWaitMs: lockTimeoutMs }: Config, poolName: string) {
  const hot = Math.max(1, Math.floor(poolSize * 0.4));
  const rest = Math.max(1, poolSize - hot);
  const open = (max: number): Db =>
    connect(databaseUrl, { max, applicationName: poolName, lockTimeoutMs, isOneByOne: true });
  return { db: open(rest), hotDb: open(hot), rest };
}

function guessesOf(
  { trustedProxies, bounds: { guesses_of_address: perS } }: Config,
  bounds: Bounds,
) {
  return limitGuesses({ trustedProxies, perS }, bounds);
}

function measuredAuthenticator(db: Db, metrics: Metrics): Authenticator {
  const authenticator = createAuthenticator(db, (tokens) => findExecutionCredentials(db, tokens));
  const help = "Bytes set aside for the tokens that are remembered.";
  metrics.gauge("svc_known_token_bytes", help, authenticator.bytes);
  return authenticator;
}

function measuredDesk(parts: Omit<DeskParts, "onBatch">, metrics: Metrics): PollDesk {
  const batches = metrics.histogram(
    "svc_claim_batch",
    "Parked polls that one look at the database served together.",
    [1, 2, 4, 8, 16, 32, 64, 128, 256],
  );
  const desk = makePollDesk({ ...parts, onBatch: (polls) => batches.observe(polls) });
  const { room } = desk.dispatcher;
  metrics.gauge("svc_parked_polls", "Polls that wait at this broker.", () => room.size);
  return desk;
}

const mebibyte = 1024 * 1024;

const roomWaitMs = 20_000;

function measuredRooms(
  { bodies, poolSize }: Config,
  metrics: Metrics,
): Pick<Broker, "uploads" | "downloads" | "bodies" | "lane" | "readLane" | "inflations"> {
  const refused = metrics.counter("svc_bodies_refused_total", "Large bodies without room.");
  const make = (of: "in" | "out", what: string): ByteRoom =>
    new ByteRoom({ ...bodies, what, waitMs: roomWaitMs }, (bound) => refused.add({ of, bound }));
  const rooms = { uploads: make("in", "large bodies"), downloads: make("out", "large answers") };
  const both = (read: (room: ByteRoom) => number) => () =>
    [
      [{ of: "in" }, read(rooms.uploads)],
      [{ of: "out" }, read(rooms.downloads)],
    ] as const;
  metrics.gauge(
    "svc_bodies_bytes",
    "Held for large bodies.",
    both(({ heldBytes }) => heldBytes),
  );
  metrics.gauge(
    "svc_bodies_waiting",
    "Waiting for room.",
    both(({ waiting }) => waiting),
  );
  const lanes = { lane: makeLane(poolSize < 4 ? 1 : 2), readLane: makeLane(1) };
  const inflations = measuredInflations(metrics);
  return { ...rooms, ...lanes, inflations, bodies: makeBodyReader() };
}

function measuredLogFeed(parts: Parameters<typeof makeLogFeed>[0], metrics: Metrics) {
  const feed = makeLogFeed(parts);
  metrics.gauge("svc_log_followers", "Clients that follow a log here.", feed.followers);
  return feed;
}

function measuredInflations(metrics: Metrics): InflationRoom {
  const room = new InflationRoom({ mostBytes: 64 * mebibyte, mostWaitingBytes: 32 * mebibyte });
  const help = "Bytes set aside for compressed logs, traces and metrics while they are read.";
  metrics.gauge("svc_inflating_bytes", help, () => room.heldBytes);
  return room;
}

function checkedHealth(db: Db, seals: Seals): Health {
  const health = createHealth();
  health.addCheck("database", async () => {
    await db`select 1`;
    return undefined;
  });
  health.addCheck("schema", async () => {
    await requireCurrentSchema(db);
    return undefined;
  });
  health.addCheck("seals", async () => {
    const refusal = seals.refusal();
    if (refusal !== undefined) return refusal;
    const missing = await missingSealKeys(db, seals);
    return missing.length === 0 ? undefined : `the seal keys ${missing.join(", ")} are missing`;
  });
  return health;
}

import { findRunCredentials } from "./action-runs/run-token.ts";
import { makeAudit } from "./audit/audit.ts";
import type { Broker } from "./broker.ts";
import { makeDatabaseClock } from "./clocks/database-clock.ts";
import type { Config } from "./config.ts";
import { makeDatabaseMetrics } from "./database-metrics/database-metrics.ts";
import { connect, type Db } from "./database/connect.ts";
import { requireServedSchema } from "./database/schema-state.ts";
import { makeEgress } from "./egress/egress.ts";
import { makeWorkflowEventFeed } from "./events/workflow-event-feed.ts";
import { makeConfirmExecution } from "./executions/confirm-execution.ts";
import { findExecutionCredentials } from "./executions/find-execution-credentials.ts";
import { makeReportExecution } from "./executions/report-executions.ts";
import { createHealth, type Health } from "./health.ts";
import { createHttpMetrics } from "./http/http-metrics.ts";
import { limitGuesses } from "./http/limits/limit-guesses.ts";
import { createRateLimiter } from "./http/limits/rate-limit.ts";
import { makeEnqueueSingle } from "./jobs/enqueue-jobs.ts";
import { makeEventFeed } from "./jobs/event-feed.ts";
import { makeHotPath } from "./limits/hot-path.ts";
import { type Limits, makeLimits } from "./limits/limits.ts";
import { makePermits } from "./limits/permits.ts";
import type { Log } from "./log.ts";
import { makeLogIntake } from "./logs/intake/log-intake.ts";
import { makeLogFeed } from "./logs/tail/log-feed.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import { openLargeValues } from "./open-large-values.ts";
import { makeOpaOfBroker } from "./policies/opa-of-broker.ts";
import { type PollsOptions, makePolls, type Polls } from "./polls/polls.ts";
import { makeBeats } from "./processes/beat-processes.ts";
import { makePublicUrl } from "./public-url.ts";
import { missingSealKeys } from "./seals/register-keys.ts";
import type { Seals } from "./seals/seals.ts";
import { claimingSignals } from "./signals/claiming-signals.ts";
import { makeEnqueueSignal } from "./signals/enqueue-signals.ts";
import { makeCollector } from "./telemetry/collector.ts";
import { type Authenticator, createAuthenticator } from "./tokens/authenticator.ts";
import { makeSender, newBrokerId, type Sender } from "./wake/notify.ts";
import { makeWakes } from "./wake/wakes.ts";

export type MadeBroker = {
  readonly broker: Broker;
  /** This process's name among the brokers of its database. */
  readonly brokerId: string;
  /** Takes what other brokers told. */
  readonly receive: ReturnType<typeof makeWakes>["receive"];
};

/** Puts a broker's parts together; nothing runs and nothing is connected yet. */
export function makeBroker(config: Config, log: Log, seals: Seals): MadeBroker {
  const brokerId = newBrokerId();
  const { db, hotDb, rest, poolName } = openPools(config, brokerId);
  const metrics = createMetrics();
  const limits = makeLimits(config.limits, metrics);
  const permits = makePermits(rest, limits, metrics);
  const hotPath = makeHotPath(hotDb, db, permits);
  const sender = makeSender(db, brokerId, log);
  const { receive, ...wakes } = makeWakes(sender.send);
  const large = openLargeValues(config, metrics, log);
  const report = makeReportExecution({ hotPath, wakes, seals, largeWrites: large.largeWrites });
  const events = makeEventFeed({ db, wakes, log });
  const workflowEvents = makeWorkflowEventFeed({ db, wakes, log });
  const logFeed = measuredLogFeed({ db, wakes, log }, metrics);
  const confirm = makeConfirmExecution(hotDb, log);
  const { logLimits } = config;
  const logs = makeLogIntake({ db, hotPath, wakes, log, limits: logLimits, confirm, metrics });
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
    audit: makeAudit({ db, log, metrics }),
    limits,
    permits,
    pendingIdempotencyKeys: new Map(),
    limitGuesses: guessesOf(config, limits),
    wakes,
    ...handingOff({ ...large, db, hotPath, wakes, log, report, seals }, metrics),
    report,
    beats: makeBeats(hotPath, wakes),
    databaseMetrics: makeDatabaseMetrics({ metrics, url: config.databaseUrl, pool: db, poolName }),
    events,
    workflowEvents,
    ...large,
    logs,
    logFeed,
    collector,
    publicUrl: makePublicUrl(config.publicUrl),
    egress: makeEgress({ rules: config.egress, metrics }),
    confirm,
    opa: makeOpaOfBroker(config.opa),
    seals,
    drain: [
      large.stop,
      collector.stop,
      sender.stop,
      logs.stop,
      ...[events, workflowEvents, logFeed].map((feed) => async () => feed.drain()),
    ],
  };
  return { broker, brokerId, receive: receivingPeers(sender, receive) };
}

/** What another broker told also says that it is there. */
function receivingPeers(sender: Sender, receive: MadeBroker["receive"]): MadeBroker["receive"] {
  return (changed) => {
    sender.receivePeer();
    receive(changed);
  };
}

/** Four connections in ten are for the hot path: its calls share statements, so few connections do more than many. */
function openPools({ databaseUrl, poolSize, lockWaitMs: lockTimeoutMs }: Config, brokerId: string) {
  const poolName = `svc broker ${brokerId}`;
  const hot = Math.max(1, Math.floor(poolSize * 0.4));
  const rest = Math.max(1, poolSize - hot);
  const open = (max: number): Db =>
    connect(databaseUrl, { max, applicationName: poolName, lockTimeoutMs, isOneByOne: true });
  return { db: open(rest), hotDb: open(hot), rest, poolName };
}

function guessesOf(
  { trustedProxies, limits: { guesses_of_address: perS } }: Config,
  limits: Limits,
) {
  return limitGuesses({ trustedProxies, perS }, limits);
}

function measuredAuthenticator(db: Db, metrics: Metrics): Authenticator {
  const authenticator = createAuthenticator(db, {
    job: (tokens) => findExecutionCredentials(db, tokens),
    run: (tokens) => findRunCredentials(db, tokens),
  });
  const help = "Memory reserved for the token cache.";
  metrics.gauge("svc_known_token_bytes", help, authenticator.bytes);
  return authenticator;
}

/** Where jobs and signals come in, where polls wait for them; and where claims of signals wait. */
function handingOff(
  { largeWrites, ...parts }: Omit<PollsOptions, "onBatch"> & Pick<Broker, "largeWrites">,
  metrics: Metrics,
): Pick<Broker, "polls" | "enqueueSingle" | "enqueueSignal" | "signalClaims" | "reportSignal"> {
  const polls = measuredPolls(parts, metrics);
  const enqueueSingle = makeEnqueueSingle({ ...parts, largeWrites, polls });
  const enqueueSignal = makeEnqueueSignal(parts.hotPath);
  return { polls, enqueueSingle, enqueueSignal, ...claimingSignals(parts, metrics) };
}

function measuredPolls(parts: Omit<PollsOptions, "onBatch">, metrics: Metrics): Polls {
  const batches = metrics.histogram(
    "svc_claim_batch",
    "Parked polls that one claim statement served.",
    [1, 2, 4, 8, 16, 32, 64, 128, 256],
  );
  const polls = makePolls({ ...parts, onBatch: (size) => batches.observe(size) });
  const { parked } = polls.dispatcher;
  metrics.gauge("svc_parked_polls", "Polls parked at this broker.", () => parked.size);
  return polls;
}

function measuredLogFeed(parts: Parameters<typeof makeLogFeed>[0], metrics: Metrics) {
  const feed = makeLogFeed(parts);
  metrics.gauge("svc_log_followers", "Clients that follow a log at this broker.", feed.followers);
  return feed;
}

function checkedHealth(db: Db, seals: Seals): Health {
  const health = createHealth();
  health.addCheck("database", async () => {
    await db`select 1`;
    return undefined;
  });
  health.addCheck("schema", async () => {
    await requireServedSchema(db);
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

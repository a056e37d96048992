import type { Broker } from "./broker.ts";
import type { Config } from "./config.ts";
import { connect } from "./database/connect.ts";
import { requireCurrentSchema } from "./database/migrate.ts";
import { createHealth } from "./health.ts";
import { createApp } from "./http/app.ts";
import { createHttpMetrics } from "./http/http-metrics.ts";
import { createRateLimiter } from "./http/rate-limit.ts";
import { type Serving, serve } from "./http/serve.ts";
import type { Log } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import { makeBeats } from "./processes/beat-processes.ts";
import { createAuthenticator } from "./tokens/authenticator.ts";
import { makeWakes } from "./wake/wakes.ts";

/** A broker that serves. */
export type RunningBroker = {
  readonly url: string;
  readonly port: number;
  readonly broker: Broker;
  /** Drains and ends everything within 25 s; a second call waits for the first. */
  readonly stop: () => Promise<void>;
};

const answerGraceMs = 10_000;

/** Starts one broker over a database whose schema must be current; an OperatorError says what is in the way. */
export async function startBroker(config: Config, log: Log): Promise<RunningBroker> {
  const broker = createBroker(config, log);
  try {
    await requireCurrentSchema(broker.db);
    const serving = await serve(createApp(broker), broker);
    log.info({ url: serving.url }, "the broker serves");
    let stopping: Promise<void> | undefined;
    const stop = (): Promise<void> => (stopping ??= drain(broker, serving));
    return { url: serving.url, port: serving.port, broker, stop };
  } catch (error) {
    await broker.db.end({ timeout: 5 });
    throw error;
  }
}

function createBroker(config: Config, log: Log): Broker {
  const db = connect(config.databaseUrl, { max: config.poolSize, applicationName: "svc broker" });
  const metrics = createMetrics();
  const health = createHealth();
  health.addCheck("database", async () => {
    await db`select 1`;
    return undefined;
  });
  health.addCheck("schema", async () => {
    await requireCurrentSchema(db);
    return undefined;
  });
  const wakes = makeWakes(() => {});
  return {
    config,
    db,
    log,
    metrics,
    httpMetrics: createHttpMetrics(metrics),
    health,
    authenticator: createAuthenticator(db, () => Promise.resolve(undefined)),
    rateLimiter: createRateLimiter({ token: config.rateTokenPerS, org: config.rateOrgPerS }),
    wakes,
    beats: makeBeats(db, wakes),
    drain: [],
  };
}

/** Not ready any more, then each owner of parked requests and loops ends them, then the server, then the pool. */
async function drain(broker: Broker, serving: Serving): Promise<void> {
  const { config, health, log } = broker;
  health.startDraining();
  log.info({ linger_ms: config.drainLingerMs }, "the broker drains");
  await new Promise((resolve) => setTimeout(resolve, config.drainLingerMs));
  for (const end of broker.drain.toReversed()) await end();
  await serving.stop(answerGraceMs);
  await broker.authenticator.flush().catch(() => {}); // last uses are a courtesy, not worth a failed stop
  await broker.db.end({ timeout: 5 });
  log.info("the broker has stopped");
}

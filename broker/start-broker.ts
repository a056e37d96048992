import { setTimeout as pause } from "node:timers/promises";
import { tellLostBrands } from "./app-configs/tell-lost-brands.ts";
import type { Broker } from "./broker.ts";
import type { Config } from "./config.ts";
import { settleWithin } from "./database/driver-workarounds.ts";
import { requireCurrentSchema } from "./database/schema-state.ts";
import { tellBlocked } from "./egress/tell-blocked.ts";
import { createApp } from "./http/app.ts";
import { type Serving, serve } from "./http/serve.ts";
import type { Log } from "./log.ts";
import { makeBroker } from "./make-broker.ts";
import { startEvaluations } from "./policies/start-evaluations.ts";
import { reconcileRoles } from "./roles/reconcile-roles.ts";
import { keySource } from "./seals/key-source.ts";
import { registerKeys } from "./seals/register-keys.ts";
import { openSeals } from "./seals/seals.ts";
import { startLoops } from "./start-loops.ts";
import { startSampling } from "./stats/start-sampling.ts";
import { startEventTasks } from "./tasks/start-event-tasks.ts";
import { startSignalTasks } from "./tasks/start-signal-tasks.ts";
import { startTasks, type TaskOptions } from "./tasks/start-tasks.ts";
import { startWorkflowTasks } from "./tasks/start-workflow-tasks.ts";

/** A broker that serves. */
export type RunningBroker = {
  readonly url: string;
  readonly port: number;
  readonly broker: Broker;
  /** Drains and ends everything within 25 s; a second call waits for the first. */
  readonly stop: () => Promise<void>;
};

const answerGraceMs = 10_000;
const flushMs = 3_000;

/** Starts one broker over a database whose schema must be current; an OperatorError says what is wrong. */
export async function startBroker(
  config: Config,
  log: Log,
  options: TaskOptions = {},
): Promise<RunningBroker> {
  const seals = await openSeals(keySource(config.sealKeys));
  const made = makeBroker(config, log, seals);
  const { broker } = made;
  try {
    await requireCurrentSchema(broker.db);
    await reconcileRoles(broker, { isStart: true }).catch((error: unknown) =>
      log.error({ err: error }, "roles could not be made what the code says; it will be retried"),
    );
    await registerKeys(broker.db, made.brokerId, seals.proofs());
    broker.drain.push((await startTasks(broker, options)).stop);
    broker.drain.push((await startSignalTasks(broker, made.brokerId)).stop);
    broker.drain.push((await startWorkflowTasks(broker)).stop);
    const serving = await serve(createApp(broker), broker);
    broker.publicUrl.listensAt(serving.url);
    broker.drain.push(startEventTasks(broker).stop); // whose links have that address
    broker.drain.push(startEvaluations(broker));
    startLoops(made);
    if (options.hasCron !== false) broker.drain.push(startSampling(broker));
    log.info({ url: serving.url }, "broker is ready");
    broker.drain.push(startTellingBlocked(broker));
    await tellLostBrands(broker).catch((error: unknown) =>
      log.warn({ err: error }, "could not look for configs with other brands"),
    );
    let stopping: Promise<void> | undefined;
    const stop = (): Promise<void> => (stopping ??= drain(broker, serving));
    return { url: serving.url, port: serving.port, broker, stop };
  } catch (error) {
    for (const end of broker.drain.toReversed()) await end();
    await endPools(broker);
    throw error;
  }
}

/** Tells once what the broker's rules of outgoing calls block, while it serves; answers how to stop that. */
function startTellingBlocked(broker: Broker): () => Promise<void> {
  const stopped = new AbortController();
  const telling = tellBlocked(broker, stopped.signal).catch((error: unknown) =>
    broker.log.warn({ err: error }, "could not look for webhooks that are blocked"),
  );
  return async () => {
    stopped.abort();
    await telling;
  };
}

/** Turns not ready, then ends parked requests and loops, then the server, then the pools. */
async function drain(broker: Broker, serving: Serving): Promise<void> {
  const { config, health, log } = broker;
  health.startDraining();
  log.info({ linger_ms: config.drainLingerMs }, "broker is draining");
  await pause(config.drainLingerMs);
  for (const end of broker.drain.toReversed()) await end();
  await serving.stop(answerGraceMs);
  await broker.endWork();
  await settleWithin(broker.audit.flush(), flushMs).catch(() => {}); // only counts wait for this
  await broker.authenticator.flush().catch(() => {}); // losing the last uses of tokens is not worth a failed stop
  await endPools(broker);
  log.info("broker has stopped");
}

async function endPools({ db, hotDb }: Broker): Promise<void> {
  await Promise.all([db, hotDb].map((pool) => pool.end({ timeout: 5 })));
}

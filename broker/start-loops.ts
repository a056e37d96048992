import type { Broker } from "./broker.ts";
import { repeat } from "./clocks/repeat.ts";
import { startClocks } from "./clocks/sweep.ts";
import { watchProcess } from "./database-metrics/watch-process.ts";
import { analyzeGrown } from "./database/analyze-grown.ts";
import { startEmitting } from "./emitters/start-emitting.ts";
import type { MadeBroker } from "./make-broker.ts";
import { registerKeys } from "./seals/register-keys.ts";
import { startListening } from "./wake/listen.ts";

const scanEveryMs = 1_500;
const databaseMetricsEveryMs = 10_000;
const keysEveryMs = 60_000;
const growthEveryMs = 3_000;

/** Starts what a broker does by itself; each loop's end is pushed to the broker's drain. */
export function startLoops({ broker, brokerId, receive }: MadeBroker): void {
  const { db, clock, log, wakes, polls, signalClaims, authenticator, config, drain, metrics } =
    broker;
  const stopped = new AbortController();
  const scan = async (): Promise<void> => {
    await Promise.all([polls.scan(), signalClaims.scan()]);
  };
  const listening = startListening(db, {
    url: config.databaseUrl,
    brokerId,
    log,
    onTopics: receive,
    onTokens: (id) => authenticator.forget([id]),
    onChange: (isConnected) => {
      authenticator.setListening(isConnected);
      if (!isConnected) return;
      authenticator.forgetAll(); // a revocation may have been missed
      scan().catch((error: unknown) =>
        log.warn({ err: error }, "scan failed; it will be retried soon"),
      );
    },
  });
  broker.health.addCheck("listen", () =>
    Promise.resolve(listening.isConnected() ? undefined : "the LISTEN connection is down"),
  );
  metrics.gauge(
    "svc_listen_connected",
    "1 while the LISTEN connection to other brokers is up.",
    () => (listening.isConnected() ? 1 : 0),
  );
  const due = metrics.counter("svc_sweep_due_total", "Rows that this broker's sweeps found due.");
  const onDue = (sweep: string, rows: number): void => due.add({ sweep }, rows);
  const clocks = startClocks({ db, clock, wakes, log, onDue });
  const scanning = repeat({ signal: stopped.signal, log }, "scan", scanEveryMs, scan);
  drain.push(
    startDatabaseMetrics(broker),
    startKeyReading(broker, brokerId),
    startLoop(broker, "table growth", growthEveryMs, () => analyzeGrown(db)),
    startEmitting(broker),
    () => listening.stop(),
    () => clocks.stop(),
    async () => {
      stopped.abort();
      await scanning;
    },
    () => polls.drain(),
    () => signalClaims.drain(),
  );
}

/** Reads the seal keys again, so that a rotation needs no restart; answers how to stop that. */
function startKeyReading(broker: Broker, brokerId: string): () => Promise<void> {
  return startLoop(broker, "seal keys", keysEveryMs, () =>
    broker.seals.refresh((keys) => registerKeys(broker.db, brokerId, keys)),
  );
}

/** Acts again and again; answers how to stop that. */
function startLoop(
  { log }: Broker,
  name: string,
  everyMs: number,
  act: () => PromiseLike<unknown>,
): () => Promise<void> {
  const stopped = new AbortController();
  const acting = repeat({ signal: stopped.signal, log }, name, everyMs, act);
  return async () => {
    stopped.abort();
    await acting;
  };
}

/** Takes the figures of /metrics every ten seconds; answers how to stop that. */
function startDatabaseMetrics({ databaseMetrics, metrics, log }: Broker): () => Promise<void> {
  const stopped = new AbortController();
  const watch = watchProcess(metrics);
  const taking = repeat({ signal: stopped.signal, log }, "figures", databaseMetricsEveryMs, () =>
    Promise.all([databaseMetrics.refresh(), watch.refresh()]),
  );
  return async () => {
    stopped.abort();
    await taking;
    watch.stop();
    await databaseMetrics.stop();
  };
}

import { repeat } from "./clocks/repeat.ts";
import { startClocks } from "./clocks/sweep.ts";
import type { MadeBroker } from "./make-broker.ts";
import { startListening } from "./wake/listen.ts";

const scanEveryMs = 1_500;

/** Starts what a broker does by itself; each loop's end is pushed to the broker's drain. */
export function startLoops({ broker, brokerId, heard }: MadeBroker): void {
  const { db, log, wakes, desk, authenticator, config, drain } = broker;
  const stopped = new AbortController();
  const scan = (): Promise<void> => desk.scan();
  const listening = startListening(db, {
    url: config.databaseUrl,
    brokerId,
    log,
    onTopics: heard,
    onTokens: (id) => authenticator.forget([id]),
    onChange: (isConnected) => {
      authenticator.setListening(isConnected);
      if (!isConnected) return;
      authenticator.forgetAll(); // a revocation may have been missed
      scan().catch((error: unknown) => log.warn({ err: error }, "a scan failed; the next comes soon"));
    },
  });
  broker.health.addCheck("listen", () =>
    Promise.resolve(listening.isConnected() ? undefined : "the LISTEN connection is down"),
  );
  const clocks = startClocks(db, wakes, log);
  const scanning = repeat({ signal: stopped.signal, log }, "scan", scanEveryMs, scan);
  drain.push(
    () => listening.stop(),
    () => clocks.stop(),
    async () => {
      stopped.abort();
      await scanning;
    },
    () => desk.drain(),
  );
}

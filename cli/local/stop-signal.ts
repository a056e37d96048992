import { exitCodes } from "../exit-codes.ts";

export type StopSignal = {
  /** Ctrl-C, SIGTERM, or the terminal has gone. */
  readonly arrival: Promise<void>;
  readonly hasArrived: () => boolean;
};

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** npm hands on the Ctrl-C that the terminal has sent already: one key, two signals. */
const sameKeyMs = 400;

/** Watches for the first signal to stop; a second one ends the process at once. */
export function watchStopSignal(): StopSignal {
  let arrivedMs: number | undefined;
  const { promise, resolve } = Promise.withResolvers<void>();
  const onSignal = () => {
    if (arrivedMs === undefined) {
      arrivedMs = performance.now();
      resolve();
    } else if (performance.now() - arrivedMs > sameKeyMs) {
      process.exit(exitCodes.interrupted.code);
    }
  };
  for (const signal of signals) process.on(signal, onSignal);
  return { arrival: promise, hasArrived: () => arrivedMs !== undefined };
}

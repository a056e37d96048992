import { exitCodes } from "../errors/exit-codes.ts";

export type StopSignal = {
  /** Ctrl-C, SIGTERM, or the terminal has gone. */
  readonly arrival: Promise<void>;
  readonly hasArrived: () => boolean;
  /** When the process ends, done or not, by performance.now(); counted from now while no signal has come. */
  readonly deadlineMs: () => number;
};

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** npm hands on the Ctrl-C that the terminal has sent already: one key, two signals. */
const sameKeyMs = 400;

/** Five seconds are promised; the last of them is for the process to go. */
const stopWithinMs = 4_900;

/**
 * Watches for the first signal to stop; a second one ends the process at once, and so does the deadline: whatever still
 * hangs then was given its time, and all that was committed is kept.
 */
export function watchStopSignal(): StopSignal {
  let arrivedMs: number | undefined;
  const { promise, resolve } = Promise.withResolvers<void>();
  const onSignal = () => {
    if (arrivedMs === undefined) {
      arrivedMs = performance.now();
      setTimeout(onDeadline, stopWithinMs).unref();
      resolve();
    } else if (performance.now() - arrivedMs > sameKeyMs) {
      process.exit(exitCodes.interrupted.code);
    }
  };
  for (const signal of signals) process.on(signal, onSignal);
  return {
    arrival: promise,
    hasArrived: () => arrivedMs !== undefined,
    deadlineMs: () => (arrivedMs ?? performance.now()) + stopWithinMs,
  };
}

/** After a stop of the whole process timers come first: a second signal that waits since is heard before. */
function onDeadline(): void {
  setImmediate(() => process.exit(exitCodes.ok.code));
}

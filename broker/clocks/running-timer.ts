export type RunningTimer = {
  /** Resolves when it is over; never after a stop. */
  readonly over: Promise<void>;
  readonly stop: () => void;
};

const steps = 10;

/**
 * A timer that counts only time in which this process ran. It runs in steps, and a step in which the process was stopped counts once: when
 * it runs again, Node fires timers before it reads what arrived in the meantime, so one long timer would fire too early.
 */
export function runningTimer(ms: number): RunningTimer {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  let left = steps;
  const timer = setInterval(() => {
    left -= 1;
    if (left > 0) return;
    clearInterval(timer);
    setImmediate(resolve); // after what came in the last step
  }, ms / steps);
  return { over, stop: () => clearInterval(timer) };
}

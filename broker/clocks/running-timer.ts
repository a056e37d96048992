export type RunningTimer = {
  /** Resolves when it is over; never after a stop. */
  readonly over: Promise<void>;
  readonly stop: () => void;
};

const steps = 10;

/**
 * So much time in which this process ran. It goes by in steps, and one in which the process was stopped counts once: when
 * it runs again, node looks at its timers before it reads what came meanwhile, and one long timer would be over first.
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

/** Runs a few at a time, in the order in which they came. */
export type Limiter = <Result>(run: () => Promise<Result>) => Promise<Result>;

/**
 * A limiter for large statements: so few of them run at once that the connections and the time of this
 * process stay free for small ones.
 */
export function makeLimiter(width: number): Limiter {
  const waiting: (() => void)[] = [];
  let free = width;
  return async (run) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

/** Runs the work of this name, or waits for it if it is in progress; throws the signal's reason. */
export type SharedWork = (
  name: string,
  signal: AbortSignal,
  act: (signal: AbortSignal) => Promise<void>,
) => Promise<void>;

type UnderWay = { readonly done: Promise<void>; readonly stop: AbortController; waiting: number };

/**
 * Makes work that runs once for several callers. It is stopped when the last caller has left, or after a timeout with
 * a TimeoutError as its signal's reason.
 */
export function makeSharedWork(longestMs: number): SharedWork {
  const underWay = new Map<string, UnderWay>();
  const begin = (name: string, act: (signal: AbortSignal) => Promise<void>): UnderWay => {
    const stop = new AbortController();
    const done = act(AbortSignal.any([stop.signal, AbortSignal.timeout(longestMs)]));
    const work = { done, stop, waiting: 0 };
    const forget = (): void => {
      if (underWay.get(name) === work) underWay.delete(name);
    };
    done.then(forget, forget);
    underWay.set(name, work);
    return work;
  };
  return async (name, signal, act) => {
    signal.throwIfAborted();
    const work = underWay.get(name) ?? begin(name, act);
    work.waiting += 1;
    const aborted = Promise.withResolvers<never>();
    const leave = (): void => aborted.reject(signal.reason as Error); // a signal always has a reason
    signal.addEventListener("abort", leave);
    try {
      await Promise.race([work.done, aborted.promise]);
    } finally {
      signal.removeEventListener("abort", leave);
      work.waiting -= 1;
      if (work.waiting === 0) {
        if (underWay.get(name) === work) underWay.delete(name); // later callers start it again
        work.stop.abort();
      }
    }
  };
}

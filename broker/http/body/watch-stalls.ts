/** Something that is ended after a time without progress. */
export type Watched = { lastAtMs: number; readonly giveUp: () => void };

const checkEveryMs = 2500;

/**
 * One timer for all bodies in progress: a timer for each of thousands of small requests a
 * second would cost more than reading them. Gives up between `idleMs` and 2.5 s later.
 */
export function watchStalls(idleMs: number): {
  readonly add: (watched: Watched) => void;
  readonly remove: (watched: Watched) => void;
} {
  const watching = new Set<Watched>();
  let timer: NodeJS.Timeout | undefined;
  const check = (): void => {
    const latestMs = performance.now() - idleMs;
    // One turn later: what came while this whole process stood is read only after the timers.
    setImmediate(() => {
      for (const one of watching) if (one.lastAtMs < latestMs) one.giveUp();
    });
  };
  return {
    add(watched) {
      watching.add(watched);
      timer ??= setInterval(check, checkEveryMs).unref();
    },
    remove: (watched) => void watching.delete(watched),
  };
}

/** So often at most is the end of a growing log made anew: each time it is brought to the disk for good. */
const clearEveryMs = 1_000;

/** Lets what was sent of a log be taken off the disk: at once where nothing more comes, else once a second at most. */
export function makeTrimThrottle(clear: () => Promise<void>): (isLast: boolean) => void {
  let clearedAtMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    timer = undefined;
    clearedAtMs = performance.now();
    // It stays where it is, and goes with what is sent next.
    clear().catch(() => {});
  };
  return (isLast) => {
    if (isLast) {
      clearTimeout(timer);
      begin();
      return;
    }
    const afterMs = clearedAtMs + clearEveryMs - performance.now();
    timer ??= setTimeout(begin, Math.max(0, afterMs)).unref();
  };
}

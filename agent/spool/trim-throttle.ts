/** The minimum interval between rewrites of a growing log's end, each of which is synced to disk. */
const clearEveryMs = 1_000;

/** Trims what was sent of a log: at once when nothing more follows, else at most once a second. */
export function makeTrimThrottle(clear: () => Promise<void>): (isLast: boolean) => void {
  let clearedAtMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    timer = undefined;
    clearedAtMs = performance.now();
    // It stays until more was sent.
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

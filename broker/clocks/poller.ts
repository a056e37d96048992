type PollerOptions = {
  /** Looks, and returns after how many milliseconds to look again unless asked before. */
  readonly look: () => Promise<number>;
  readonly onError: (error: unknown) => void;
  /** Looks are at least this far apart. */
  readonly restMs: number;
  /** When to look again after a look that failed, and after the start. */
  readonly fallbackMs: number;
};

/** Looks when asked, one look at a time, and now and then by itself; asked before the start, it looks at once then. */
export type Poller = {
  readonly start: () => void;
  readonly ask: () => void;
  readonly stop: () => void;
};

/** A poller that does nothing before its start and nothing after its stop. */
export function makePoller({ look, onError, restMs, fallbackMs }: PollerOptions): Poller {
  let state: "new" | "resting" | "looking" | "stopped" = "new";
  let isAsked = false;
  let lookedAtMs = -Infinity;
  let timer: NodeJS.Timeout | undefined;

  function lookIn(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => void run(), ms);
  }

  async function run(): Promise<void> {
    state = "looking";
    isAsked = false;
    const nextMs = await look().catch((error: unknown) => {
      onError(error);
      return fallbackMs;
    });
    lookedAtMs = performance.now();
    rest(nextMs);
  }

  function rest(nextMs: number): void {
    if (state === "stopped") return;
    state = "resting";
    lookIn(isAsked ? Math.min(restMs, nextMs) : nextMs);
  }

  return {
    start: () => rest(isAsked ? 0 : fallbackMs),
    ask: () => {
      if (isAsked) return;
      isAsked = true;
      if (state === "resting") lookIn(Math.max(0, lookedAtMs + restMs - performance.now()));
    },
    stop: () => {
      state = "stopped";
      clearTimeout(timer);
    },
  };
}

import type { Topic, Wakes } from "../../wake/wakes.ts";
import type { Pace } from "./pace.ts";

type Hinting = {
  readonly topics: readonly Topic[];
  /** Told once a minute besides, for what changes with the clock. */
  readonly isEachMinute: boolean;
  readonly pace: Pace;
  readonly ended: AbortSignal;
  /** Whether the person is still signed in. */
  readonly isWelcome: () => Promise<boolean>;
};

const encoder = new TextEncoder();
const begin = encoder.encode("retry: 3000\n\n");
const hint = encoder.encode("data: changed\n\n");
/** Keeps proxies from cutting a quiet connection. */
const ping = encoder.encode(":\n\n");
const pingMs = 20_000;
const minuteMs = 60_000;

/** Says "changed" as often as its pace lets it, and lets a dashboard at rest cost a timer and three bytes each twenty seconds. */
export async function* hints(
  wakes: Wakes,
  { topics, isEachMinute, pace, ended, isWelcome }: Hinting,
): AsyncGenerator<Uint8Array> {
  let isChanged = false;
  let wake: (() => void) | undefined;
  let leavers: (() => void)[] = [];
  const leave = (): void => {
    for (const one of leavers.splice(0)) one();
  };
  /** Hears the first change alone: an org that works hard tells of thousands while the page rests. */
  const hear = (): void => {
    isChanged = true;
    leave();
    wake?.();
  };
  const listen = (): void => {
    isChanged = false;
    leavers = topics.map((topic) => wakes.subscribe(topic, hear));
  };
  listen();
  const end = (): void => wake?.();
  ended.addEventListener("abort", end, { once: true });
  // Pages that were opened at once, as after a broker's start, do not ask at once for ever.
  let minuteAtMs = performance.now() + minuteMs * Math.random();
  try {
    yield begin;
    while (!ended.aborted) {
      if (!isChanged) {
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((resolve) => {
          wake = resolve;
          timer = setTimeout(resolve, pingMs * (0.75 + Math.random() / 2));
        });
        clearTimeout(timer);
      }
      if (isChanged) await rest(pace.delayMs(), ended);
      if (ended.aborted || !(await isWelcome())) return;
      const isMinute = isEachMinute && performance.now() >= minuteAtMs;
      if (isMinute) minuteAtMs += minuteMs;
      const isTold = isChanged || isMinute;
      if (isChanged) listen(); // what changes from here on is told again
      yield isTold ? hint : ping;
      if (isTold) await rest(pace.restMs(), ended);
    }
  } finally {
    leave();
    ended.removeEventListener("abort", end);
  }
}

/** Sleeps, unless it ends. */
async function rest(ms: number, ended: AbortSignal): Promise<void> {
  if (ms === 0 || ended.aborted) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      ended.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    ended.addEventListener("abort", done, { once: true });
  });
}

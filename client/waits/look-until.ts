import { pause } from "../requests/pause.ts";

/** What a wait takes. */
export type WaitOptions<Waited> = {
  /** Gives the wait up: it throws this signal's reason. `AbortSignal.timeout(ms)` bounds a wait. */
  readonly signal?: AbortSignal | undefined;
  /** Each time it was looked at; at most once a second where a broker answers at once. */
  readonly onLook?: ((waited: Waited) => void) | undefined;
};

/** A request that a broker holds until there is something to tell. */
export const parked = { query: { wait: "25s" }, timeoutMs: 40_000 } as const;

/** A broker that goes away answers at once, and so does one that has something to tell: neither is asked in a tight circle. */
const leastBetweenMs = 1000;

type Looking<Waited> = WaitOptions<Waited> & {
  readonly look: () => Promise<Waited>;
  readonly isWanted: (waited: Waited) => boolean;
};

/** Looks at something, again and again, until it is as it is wanted. */
export async function lookUntil<Waited>({
  look,
  isWanted,
  onLook,
  signal,
}: Looking<Waited>): Promise<Waited> {
  for (;;) {
    const askedMs = performance.now();
    const seen = await look();
    onLook?.(seen);
    if (isWanted(seen)) return seen;
    await pause(Math.max(0, leastBetweenMs - (performance.now() - askedMs)), signal);
  }
}

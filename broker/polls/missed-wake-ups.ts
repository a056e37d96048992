import { growingCache } from "../growing-cache.ts";

/** Processes that had news while no claim of theirs was parked here. */
export type MissedWakeUps = {
  readonly add: (processId: string) => void;
  /** Whether there was recent news; this clears it. */
  readonly take: (processId: string) => boolean;
};

/** By then a heartbeat has delivered it. */
const freshForMs = 60_000;
const most = 10_000;

/** Remembers them for a minute, in this broker's memory. */
export function makeMissedWakeUps(): MissedWakeUps {
  const missed = growingCache<string, true>(most, { ttl: freshForMs });
  return {
    add: (processId) => void missed.set(processId, true),
    take: (processId) => {
      const isFresh = missed.has(processId);
      missed.delete(processId);
      return isFresh;
    },
  };
}

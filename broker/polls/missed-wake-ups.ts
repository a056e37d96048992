import { LRUCache } from "lru-cache";

/** Processes that were to be told something while no claim of theirs was parked here. */
export type MissedWakeUps = {
  readonly add: (processId: string) => void;
  /** Whether there was something lately; it is forgotten by that. */
  readonly take: (processId: string) => boolean;
};

/** By then a beat has told it. */
const freshForMs = 60_000;
const most = 10_000;

/** Remembers them for a minute, in this broker's memory. */
export function makeMissedWakeUps(): MissedWakeUps {
  const missed = new LRUCache<string, true>({ max: most, ttl: freshForMs });
  return {
    add: (processId) => void missed.set(processId, true),
    take: (processId) => {
      const isFresh = missed.has(processId);
      missed.delete(processId);
      return isFresh;
    },
  };
}

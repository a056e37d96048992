/** Processes that were to be told something while no claim of theirs was parked here. */
export type MissedNews = {
  readonly add: (processId: string) => void;
  /** Whether there was something lately; it is forgotten by that. */
  readonly take: (processId: string) => boolean;
};

/** By then a beat has told it. */
const freshForMs = 60_000;
const most = 10_000;

/** Remembers them for a minute, in this broker's memory. */
export function makeMissedNews(): MissedNews {
  const atMs = new Map<string, number>();
  return {
    add: (processId) => {
      atMs.delete(processId); // the newest stands last
      atMs.set(processId, performance.now());
      const [oldest] = atMs.keys();
      if (atMs.size > most && oldest !== undefined) atMs.delete(oldest);
    },
    take: (processId) => {
      const sinceMs = atMs.get(processId);
      atMs.delete(processId);
      return sinceMs !== undefined && performance.now() - sinceMs < freshForMs;
    },
  };
}

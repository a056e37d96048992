/** The database's clock as seen from here, for answers that ask the database nothing. */
export type DatabaseClock = {
  readonly now: () => Date;
  /** Learns from an instant that the database told, read just now. */
  readonly learn: (read: () => Promise<Date>) => Promise<void>;
};

/** An instant that took so long to come says too little. */
const promptMs = 1_000;

/** Steady between two readings, whatever this host's clock does; this host's clock until the first. */
export function makeDatabaseClock(): DatabaseClock {
  let [originMs, isKnown] = [performance.timeOrigin, false];
  return {
    now: () => new Date(originMs + performance.now()),
    learn: async (read) => {
      const askedMs = performance.now();
      const told = await read();
      const heardMs = performance.now();
      if (isKnown && heardMs - askedMs > promptMs) return;
      [originMs, isKnown] = [told.getTime() - (askedMs + heardMs) / 2, true];
    },
  };
}

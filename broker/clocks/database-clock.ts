/** An estimate of the database's clock, for answers without a query. */
export type DatabaseClock = {
  readonly now: () => Date;
  /** Learns from a time that was just read from the database. */
  readonly learn: (read: () => Promise<Date>) => Promise<void>;
};

/** A reading that took longer than this is not accurate enough. */
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

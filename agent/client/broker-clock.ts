/** The broker's clock, as estimated here. Deadlines are in its time. */
export type BrokerClock = {
  /**
   * Learns from an answer: its Date header, when it arrived and how long it took. Returns whether it changed the
   * estimate.
   */
  readonly learn: (heard: {
    readonly headers: { readonly date?: string | undefined };
    readonly atMs: number;
    readonly tookMs: number;
  }) => boolean;
  /**
   * How far this host's clock is ahead of the broker's, in ms; 0 while unknown. It is stable until this host's clock
   * is changed.
   */
  readonly skewMs: () => number;
  /** Whether anything was learned. */
  readonly isKnown: () => boolean;
  /** Converts an instant of the broker to this host's clock. */
  readonly toLocalMs: (brokersInstant: string) => number;
};

/** A Date header has whole seconds; a smaller difference is no skew. */
const resolutionMs = 1_000;
/** The answer of a parked request does not say when it was written. */
const promptMs = 1_500;

/**
 * Makes a clock without skew. An answer that is consistent with the estimate does not change it, so that converted
 * instants do not jitter.
 */
export function makeBrokerClock(): BrokerClock {
  let skewMs = 0;
  /** The largest error of the estimate. */
  let doubtMs = 0;
  let isKnown = false;
  return {
    learn({ headers: { date }, atMs, tookMs }) {
      const brokersMs = Date.parse(date ?? "");
      if (Number.isNaN(brokersMs) || tookMs > promptMs) return false;
      const ahead = atMs - tookMs / 2 - (brokersMs + resolutionMs / 2);
      const itsDoubtMs = (resolutionMs + tookMs) / 2;
      if (isKnown && Math.abs(ahead - skewMs) <= doubtMs + itsDoubtMs) return true;
      isKnown = true;
      doubtMs = Math.max(resolutionMs, itsDoubtMs);
      skewMs = Math.abs(ahead) <= doubtMs ? 0 : Math.round(ahead);
      return true;
    },
    skewMs: () => skewMs,
    isKnown: () => isKnown,
    toLocalMs: (instant) => Date.parse(instant) + skewMs,
  };
}

/** The broker's clock as seen from here: deadlines are told in its time. */
export type BrokerClock = {
  /** Learns from the head of an answer: its Date, when it came and how long that took. Whether that told anything. */
  readonly learn: (heard: {
    readonly headers: { readonly date?: string | undefined };
    readonly atMs: number;
    readonly tookMs: number;
  }) => boolean;
  /** How far our clock is ahead of the broker's, ms; 0 while nothing is known. It stays as it is until our clock changes. */
  readonly skewMs: () => number;
  /** Whether anything was learned. */
  readonly isKnown: () => boolean;
  /** An instant of the broker's as one of ours. */
  readonly toLocalMs: (brokersInstant: string) => number;
};

/** A Date header tells whole seconds; less than that is no skew. */
const resolutionMs = 1_000;
/** An answer that was parked says nothing about when it was written. */
const promptMs = 1_500;

/**
 * A clock that thinks no skew until it hears of one. An answer that may tell the same as those before changes nothing:
 * what is reckoned by it does not go to and fro.
 */
export function makeBrokerClock(): BrokerClock {
  let skewMs = 0;
  /** By so much at most it may be another. */
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

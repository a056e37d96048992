/** The broker's clock as seen from here: deadlines are told in its time. */
export type BrokerClock = {
  /** Learns from the head of an answer: its Date, when it came and how long that took. Whether that told anything. */
  readonly learn: (heard: {
    readonly headers: { readonly date?: string | undefined };
    readonly atMs: number;
    readonly tookMs: number;
  }) => boolean;
  /** How far our clock is ahead of the broker's, ms; 0 while nothing is known. */
  readonly skewMs: () => number;
  /** An instant of the broker's as one of ours. */
  readonly toLocalMs: (brokersInstant: string) => number;
};

/** A Date header tells whole seconds; less than that is no skew. */
const resolutionMs = 1_000;
/** An answer that was parked says nothing about when it was written. */
const promptMs = 1_500;

/** A clock that thinks no skew until it hears of one; the latest prompt answer counts. */
export function makeBrokerClock(): BrokerClock {
  let skewMs = 0;
  return {
    learn({ headers: { date }, atMs, tookMs }) {
      const brokersMs = Date.parse(date ?? "");
      if (Number.isNaN(brokersMs) || tookMs > promptMs) return false;
      const ahead = atMs - tookMs / 2 - (brokersMs + resolutionMs / 2);
      skewMs = Math.abs(ahead) <= resolutionMs ? 0 : Math.round(ahead);
      return true;
    },
    skewMs: () => skewMs,
    toLocalMs: (instant) => Date.parse(instant) + skewMs,
  };
}

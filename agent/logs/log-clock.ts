import type { BrokerClock } from "../client/broker-clock.ts";
import type { LogSpool } from "../spool/log-spool.ts";

/** How the times of a log's records are converted to the broker's. */
export type LogSkew = {
  /** The correction; 0 where times stay unchanged. */
  readonly aheadMs: number;
  /** The attribute that tells readers. */
  readonly attributes: Readonly<Record<string, boolean | number>>;
};

export type LogClock = { readonly skewOf: (spool: LogSpool) => LogSkew };

const right: LogSkew = { aheadMs: 0, attributes: {} };
const unknown: LogSkew = { aheadMs: 0, attributes: { "svc.clock_unknown": true } };

/**
 * Computes the correction of a log's times from the broker's clock. A log that was sent in part before that was known
 * stays uncorrected, so that its times do not run backwards.
 */
export function makeLogClock(clock: Pick<BrokerClock, "skewMs" | "isKnown">): LogClock {
  const begunUnknown = new WeakSet<LogSpool>();
  return {
    skewOf(spool) {
      if (!clock.isKnown()) begunUnknown.add(spool);
      if (begunUnknown.has(spool)) return unknown;
      const aheadMs = clock.skewMs();
      return aheadMs === 0 ? right : { aheadMs, attributes: { "svc.clock_skew_ms": aheadMs } };
    },
  };
}

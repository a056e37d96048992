import type { BrokerClock } from "../client/broker-clock.ts";
import type { LogSpool } from "../spool/log-spool.ts";

/** How the times of a log's records become the broker's. */
export type LogSkew = {
  /** They are so much too late; 0 where they stay as they are. */
  readonly aheadMs: number;
  /** What tells readers that. */
  readonly attributes: Readonly<Record<string, boolean | number>>;
};

export type LogClock = { readonly skewOf: (spool: LogSpool) => LogSkew };

const right: LogSkew = { aheadMs: 0, attributes: {} };
const unknown: LogSkew = { aheadMs: 0, attributes: { "svc.clock_unknown": true } };

/**
 * Tells by the broker's clock how wrong the times of records are. A log that began to be sent when that was not known
 * yet stays as it is, so that it does not run backwards.
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

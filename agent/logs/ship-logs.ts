import type { BackoffLimits } from "../client/backoff.ts";
import type { BrokerClock } from "../client/broker-clock.ts";
import { pause } from "../client/pause.ts";
import type { Log } from "../log.ts";
import type { LogSpool } from "../spool/log-spool.ts";
import type { LogSpools } from "../spool/log-spools.ts";
import { makeLogClock } from "./log-clock.ts";
import type { SendLogs } from "./log-request.ts";
import { type LogFlow, shipLog } from "./ship-log.ts";

/** What brings logs to the broker. */
export type LogShipping = {
  /**
   * Resolves true when all records of a closed log are stored (or nobody wants them, or there are none), false after
   * the time, and at once while the broker does not take them.
   */
  readonly drained: (executionId: string, withinMs: number) => Promise<boolean>;
  /** Nothing of any log waits any more; the same for all, when the agent shuts down. */
  readonly allDrained: (withinMs: number) => Promise<boolean>;
  /** Stops sending; what is on disk stays. */
  readonly stop: () => Promise<void>;
};

export type ShipLogsSpec = {
  readonly spools: LogSpools;
  readonly send: SendLogs;
  readonly clock: Pick<BrokerClock, "skewMs" | "isKnown">;
  readonly log: Log;
  readonly limits: BackoffLimits;
  /** The broker takes a log's records as of something that is over, or not at all. */
  readonly onDoubt?: (executionId: string) => void;
};

/** Requests at once; each log has one under way, so that its lines stay in order. */
const mostAtOnce = 4;
const sweepEveryMs = 60_000;

/** Starts to send what is there and whatever comes, the logs in turns. */
export function shipLogs(spec: ShipLogsSpec): LogShipping {
  const { spools, log, limits, onDoubt = () => {} } = spec;
  const clock = makeLogClock(spec.clock);
  const stopping = new AbortController();
  const { signal } = stopping;
  const underWay = new Map<LogSpool, Promise<void>>();
  const failing = new Set<LogSpool>();
  const inTurn = makeTurns(mostAtOnce);
  const { until, look } = makeLookout();

  const onAnswer = (spool: LogSpool, flow: LogFlow): void => {
    if (flow === "taken") failing.delete(spool);
    else failing.add(spool);
    // Who is slowed down waits: only to a broker that is away lines are lost.
    spools.setFlowing(spool, flow !== "away");
    look();
  };

  function wake(spool: LogSpool): void {
    if (underWay.has(spool) || signal.aborted) return;
    const shipping = shipLog({ ...spec, clock, onDoubt, spool, inTurn, signal, onAnswer })
      .catch(async (error: unknown) => {
        const { executionId } = spool.identity;
        log.error({ err: error, execution_id: executionId }, "sending a log failed");
        onAnswer(spool, "away");
        await pause(limits.mostMs, signal);
      })
      .then(() => {
        underWay.delete(spool);
        look();
        // Something may have come between the last look and now.
        if (spool.waitingBytes() > 0) wake(spool);
      });
    underWay.set(spool, shipping);
  }

  spools.onAppend(wake);
  for (const spool of spools.all()) wake(spool);
  const sweeping = setInterval(() => void spools.sweep(), sweepEveryMs).unref();
  return {
    drained(executionId, withinMs) {
      const spool = spools.find(executionId);
      if (spool === undefined) return Promise.resolve(true);
      const isSo = (): boolean | undefined =>
        spool.waitingBytes() === 0 ? true : failing.has(spool) ? false : undefined;
      return until(isSo, withinMs);
    },
    allDrained: (withinMs) =>
      until(() => (spools.waitingBytes() === 0 ? true : undefined), withinMs),
    async stop() {
      stopping.abort();
      clearInterval(sweeping);
      await Promise.all(underWay.values());
      for (const spool of spools.all()) spools.setFlowing(spool, false);
    },
  };
}

/** Lets others wait until something is so; whoever changes it says "look". */
function makeLookout() {
  const waiters = new Set<() => void>();
  const look = (): void => {
    for (const waiter of waiters) waiter();
  };
  const until = (isSo: () => boolean | undefined, withinMs: number): Promise<boolean> =>
    new Promise((resolve) => {
      const settle = (is: boolean): void => {
        waiters.delete(waiter);
        clearTimeout(timer);
        resolve(is);
      };
      const waiter = (): void => {
        const is = isSo();
        if (is !== undefined) settle(is);
      };
      const timer = setTimeout(() => settle(isSo() === true), withinMs);
      waiters.add(waiter);
      waiter();
    });
  return { until, look };
}

/** Lets so many act at once; the others wait in line, so that a chatty log does not hold up a quiet one. */
function makeTurns(most: number): <T>(act: () => Promise<T>) => Promise<T> {
  let free = most;
  const line: (() => void)[] = [];
  return async (act) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => line.push(resolve));
    try {
      return await act();
    } finally {
      const next = line.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

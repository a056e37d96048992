import type { BackoffLimits } from "../client/backoff.ts";
import type { BrokerClock } from "../client/broker-clock.ts";
import { pause } from "../client/pause.ts";
import type { Log } from "../log.ts";
import type { LogSpool } from "../spool/log-spool.ts";
import type { LogSpools } from "../spool/log-spools.ts";
import { makeLogClock } from "./log-clock.ts";
import type { SendLogs } from "./log-request.ts";
import { type LogFlow, shipLog } from "./ship-log.ts";

/** Sends logs to the broker. */
export type LogShipping = {
  /**
   * Resolves true when all records of a closed log are stored (or refused permanently, or there are none); false after
   * the time, and at once while the broker accepts none.
   */
  readonly drained: (executionId: string, withinMs: number) => Promise<boolean>;
  /** The same for all logs, at the agent's shutdown. */
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
  /** Called when the broker says that the execution of a log has ended, or refuses its records. */
  readonly onDoubt?: (executionId: string) => void;
};

/** The most requests at once; each log has at most one, so that its lines stay in order. */
const mostAtOnce = 4;
const sweepEveryMs = 60_000;

/** Starts to send existing and new records, the logs in turns. */
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
    // A log that is slowed down waits; lines are dropped only when no broker is reachable.
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
        // Something may have arrived since the last check.
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

/** Lets others wait for a condition; a change notifies them to check again. */
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

/** Limits concurrency; the others queue, so that a chatty log does not delay a quiet one. */
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

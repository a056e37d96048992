import { type BackoffLimits, backoffMs } from "../client/backoff.ts";
import { Refused, Unanswered } from "../client/broker-errors.ts";
import { pause } from "../client/pause.ts";
import type { Log } from "../log.ts";

/** What a loop is given: `turn` says that it has come round. */
export type Loop = { readonly signal: AbortSignal; readonly turn: () => void };

/** How one of the agent's loops is. */
export type LoopHealth = {
  readonly name: string;
  /** It has not failed since it was last all right. */
  readonly isWell: boolean;
  /** How often it threw and was started again. */
  readonly restarts: number;
  /** Since it last came round, ms. */
  readonly quietMs: number;
  /** Since it last came round or failed, or should have begun again, ms. */
  readonly stillMs: number;
  readonly lastError: string | null;
};

/** Runs the agent's loops and knows how they are. */
export type LoopRunner = {
  /** Runs it until the signal aborts. One that throws is started again, the later the more often it does. */
  readonly run: (
    name: string,
    signal: AbortSignal,
    act: (loop: Loop) => Promise<void>,
  ) => Promise<void>;
  readonly health: () => readonly LoopHealth[];
};

type Entry = {
  restarts: number;
  inARow: number;
  turnedAtMs: number;
  /** When it last came round, failed, or will be started again. */
  movesAtMs: number;
  lastError: string | null;
};

/** A broker's refusal is first shown to `onRefused`: it may make the agent another process. */
export function makeLoopRunner(
  log: Log,
  limits: BackoffLimits,
  onRefused: (refused: Refused) => void,
): LoopRunner {
  const entries = new Map<string, Entry>();

  function failed(name: string, entry: Entry, error: unknown): void {
    entry.restarts += 1;
    entry.inARow += 1;
    entry.lastError = (error as Error).message;
    if (error instanceof Refused) onRefused(error);
    const told = { loop: name, why: entry.lastError };
    if (error instanceof Unanswered) {
      log[entry.inARow === 1 ? "debug" : "warn"](told, "the broker did not answer a loop");
    } else {
      const level = error instanceof Refused ? "warn" : "error";
      log[level]({ ...told, err: error }, "a loop failed; restarting it");
    }
  }

  return {
    async run(name, signal, act) {
      const nowMs = performance.now();
      const entry: Entry = {
        restarts: 0,
        inARow: 0,
        turnedAtMs: nowMs,
        movesAtMs: nowMs,
        lastError: null,
      };
      entries.set(name, entry);
      const turn = (): void => {
        entry.turnedAtMs = entry.movesAtMs = performance.now();
        entry.inARow = 0;
      };
      while (!signal.aborted) {
        try {
          await act({ signal, turn });
          return;
        } catch (error) {
          if (signal.aborted) return;
          failed(name, entry, error);
          const asked = error instanceof Unanswered ? error.retryAfterMs : undefined;
          const restMs = backoffMs(entry.inARow, limits, asked);
          entry.movesAtMs = performance.now() + restMs;
          await pause(restMs, signal);
        }
      }
    },
    health: () => [...entries].map(([name, entry]) => healthOf(name, entry)),
  };
}

function healthOf(
  name: string,
  { restarts, inARow, turnedAtMs, movesAtMs, lastError }: Entry,
): LoopHealth {
  const nowMs = performance.now();
  return {
    name,
    isWell: inARow === 0,
    restarts,
    quietMs: Math.round(nowMs - turnedAtMs),
    stillMs: Math.max(0, Math.round(nowMs - movesAtMs)),
    lastError: inARow === 0 ? null : lastError,
  };
}

import { type BackoffLimits, backoffMs } from "../client/backoff.ts";
import { Refused, Unanswered } from "../client/broker-errors.ts";
import { pause } from "../client/pause.ts";
import type { Log } from "../log.ts";

/** What a loop is given; it calls `turn` at each iteration. */
export type Loop = { readonly signal: AbortSignal; readonly turn: () => void };

/** The state of one loop. */
export type LoopHealth = {
  readonly name: string;
  /** Whether it works: it has not failed since its last turn. */
  readonly isWell: boolean;
  /** How often it failed and was restarted. */
  readonly restarts: number;
  /** Time since its last turn, in ms. */
  readonly quietMs: number;
  /** Time since its last turn, failure or planned restart, in ms. */
  readonly stillMs: number;
  readonly lastError: string | null;
};

/** Runs the agent's loops and knows their state. */
export type LoopRunner = {
  /** Runs a loop until the signal aborts. A loop that throws is restarted with a growing delay. */
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
  /** When it last made a turn or failed, or when it restarts. */
  movesAtMs: number;
  lastError: string | null;
};

/** `onRefused` sees a refusal of the broker first: it may register another process. */
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

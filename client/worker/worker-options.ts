import type { Request } from "../requests/make-request.ts";
import type { ClaimedSignal, SignalResult } from "./claimed-signal.ts";

/** What a handler is given besides its signal. */
export type HandleContext = {
  /** Aborts when the lease is lost, or about to be: stop then, as another worker gets the signal. */
  readonly signal: AbortSignal;
};

/** What a worker is made of. */
export type WorkerOptions<Signal extends ClaimedSignal = ClaimedSignal> = {
  readonly client: { readonly request: Request };
  /** The queue's id. */
  readonly queue: string;
  /**
   * Does one signal. What it answers is the signal's result; what it throws is told to whoever reads the signal, by its
   * message. It may be called again with the same signal: a worker that is killed has not said that it was done.
   */
  readonly handle: (
    signal: Signal,
    context: HandleContext,
  ) => Promise<SignalResult | void> | SignalResult | void;
  /** Shown with the signals that it has. */
  readonly name?: string | undefined;
  /** How many signals at once, up to 100: one unless told. */
  readonly concurrency?: number | undefined;
  /** How soon others get the signals of a worker that is gone: 30 s unless told, 5 s to an hour. */
  readonly leaseMs?: number | undefined;
  /** Hears of what goes wrong and is tried again, and of signals that were lost. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Stops at the process's next SIGTERM. */
  readonly stopOnSigterm?: boolean | undefined;
};

/** The options with what is left out, checked. */
export function checkWorkerOptions<Signal extends ClaimedSignal>(options: WorkerOptions<Signal>) {
  return {
    ...options,
    concurrency: within("concurrency", options.concurrency ?? 1, [1, 100]),
    leaseMs: within("leaseMs", options.leaseMs ?? 30_000, [5_000, 3_600_000]),
    onError: options.onError ?? (() => {}),
  };
}

function within(name: string, value: number, [least, most]: readonly [number, number]): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new TypeError(`The worker's ${name} must be a whole number from ${least} to ${most}.`);
}

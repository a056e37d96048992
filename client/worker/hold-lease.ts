import { SvcError } from "../svc-error.ts";

type Holding = {
  readonly leaseMs: number;
  /** Of the lease when it is begun to be held, at least. */
  readonly leftMs: number;
  /** Asks the broker for another whole lease. */
  readonly extend: (signal: AbortSignal) => Promise<unknown>;
  readonly onError: (error: unknown) => void;
};

/** A lease that is kept. */
export type HeldLease = {
  /** Aborts when the lease is lost, and before it ends where it could not be extended. */
  readonly signal: AbortSignal;
  /** Another has the signal, or it has ended. */
  readonly isLost: () => boolean;
  /** Lets it go: nothing is asked any more. */
  readonly release: () => void;
};

/** So long before the end of a lease a handler is stopped, so that another's does not begin meanwhile. */
export const marginOf = (leaseMs: number): number => leaseMs / 6;

/** Whether a refusal says that another has the signal, or that it has ended. */
export const isLeaseLost = (error: unknown): error is SvcError =>
  error instanceof SvcError && (error.code === "lease_lost" || error.status === 404);

/**
 * Extends a lease at each third of it. Its end is reckoned by this machine's monotonic clock from when the extension
 * was asked for, which is earlier than when it began: no clock that is set moves it.
 */
export function holdLease({ leaseMs, leftMs, extend, onError }: Holding): HeldLease {
  const handling = new AbortController();
  const asking = new AbortController();
  let isLost = false;
  let renewal: NodeJS.Timeout;
  let end: NodeJS.Timeout;

  const endIn = (ms: number) => {
    clearTimeout(end);
    const words = "The lease could not be extended in time.";
    const late = () => handling.abort(new SvcError(words, { code: "lease_ends" }));
    end = setTimeout(late, Math.max(0, ms - marginOf(leaseMs)));
  };
  const renewIn = (ms: number) => {
    renewal = setTimeout(() => void renew(), ms);
  };
  const renew = async () => {
    const askedMs = performance.now();
    try {
      await extend(asking.signal);
      if (asking.signal.aborted) return;
      endIn(leaseMs - (performance.now() - askedMs));
      renewIn(leaseMs / 3);
    } catch (error) {
      if (asking.signal.aborted) return;
      if (isLeaseLost(error)) lose(error);
      else renewIn(leaseMs / 12);
      onError(error);
    }
  };
  const release = () => {
    asking.abort();
    clearTimeout(renewal);
    clearTimeout(end);
  };
  const lose = (error: SvcError) => {
    isLost = true;
    release();
    handling.abort(error);
  };

  endIn(leftMs);
  renewIn(Math.min(leftMs, leaseMs) / 3);
  return { signal: handling.signal, isLost: () => isLost, release };
}

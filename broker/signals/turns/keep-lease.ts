import { reportTurn } from "./queries.ts";
import type { TurnLease, TurnParts } from "./turn.ts";

const everyMs = 15_000;

/** Extends a lease until it is stopped. The signal aborts when the lease was lost, or with the broker's stop. */
export function keepLease(
  { db, log }: Pick<TurnParts, "db" | "log">,
  lease: TurnLease,
  stopped: AbortSignal,
): { readonly signal: AbortSignal; readonly stop: () => void } {
  const ended = new AbortController();
  const abort = (): void => ended.abort();
  const extend = async (): Promise<void> => {
    const { outcome } = await reportTurn(db, lease, { event: "extend" });
    if (outcome !== "done") abort();
  };
  const timer = setInterval(() => {
    extend().catch((error: unknown) => {
      log.warn({ err: error, signal_id: lease.signalId }, "a lease could not be extended");
    });
  }, everyMs);
  if (stopped.aborted) abort();
  stopped.addEventListener("abort", abort);
  const stop = (): void => {
    clearInterval(timer);
    stopped.removeEventListener("abort", abort);
  };
  return { signal: ended.signal, stop };
}

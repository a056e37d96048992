import { reportTurn } from "./queries.ts";
import type { TurnLease, TurnParts } from "./turn.ts";

const everyMs = 15_000;
/** A lease of a minute that was not extended for so long may have run out at the next look. */
const unsafeAfterMs = 40_000;

/** Extends a lease until it is stopped. The signal aborts when the lease was lost or could not be extended in time, or with the broker's stop. */
export function keepLease(
  { db, log }: Pick<TurnParts, "db" | "log">,
  lease: TurnLease,
  stopped: AbortSignal,
): { readonly signal: AbortSignal; readonly stop: () => void } {
  const ended = new AbortController();
  const abort = (): void => ended.abort();
  let extendedMs = performance.now();
  const extend = async (): Promise<void> => {
    const askedMs = performance.now();
    const { outcome } = await reportTurn(db, lease, { event: "extend" });
    if (outcome === "done") extendedMs = Math.max(extendedMs, askedMs);
    else abort();
  };
  const timer = setInterval(() => {
    if (performance.now() - extendedMs > unsafeAfterMs) return abort(); // another broker may soon execute it
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

import { repeat } from "../clocks/repeat.ts";
import type { Metrics } from "../metrics.ts";
import { emitDue, mostOfLook } from "./emit-due.ts";
import type { EmittingParts } from "./plan-signals.ts";

/** A look that finds nothing costs an index's look-up. */
const everyMs = 250;

/** Emits what is due, at intervals; answers how to stop that. */
export function startEmitting(
  parts: Omit<EmittingParts, "onEmitted"> & { readonly metrics: Metrics },
): () => Promise<void> {
  const { metrics, log } = parts;
  const stopped = new AbortController();
  let due = 0;
  metrics.gauge(
    "svc_emitter_due",
    "Emitters that the last look of this broker listed: 2,000 at most.",
    () => due,
  );
  const emitted = metrics.counter("svc_emitted_total", "Signals that emitters enqueued.");
  const lag = metrics.histogram(
    "svc_emitter_lag_seconds",
    "Time from a tick, jitter included, to the signal's enqueue.",
    [0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300, 3600],
  );
  const emitting = repeat({ signal: stopped.signal, log }, "emitters", everyMs, async () => {
    for (let isMore = true; isMore && !stopped.signal.aborted;) {
      const look = await emitDue({
        ...parts,
        onEmitted: (lateS) => {
          emitted.add();
          lag.observe(lateS);
        },
      });
      due = look.found;
      // Not after each look that found some: under a steady load all would be small.
      isMore = look.settled > 0 && (look.found === mostOfLook || look.settled < look.found);
    }
  });
  return async () => {
    stopped.abort();
    await emitting;
  };
}

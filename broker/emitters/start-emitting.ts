import { repeat } from "../clocks/repeat.ts";
import type { Metrics } from "../metrics.ts";
import { emitDue, type EmittingParts } from "./emit-due.ts";

/** A look that finds nothing costs an index's look-up. */
const everyMs = 250;

/** Emits what is due, at intervals; answers how to stop that. */
export function startEmitting(
  parts: Omit<EmittingParts, "onEmitted"> & { readonly metrics: Metrics },
): () => Promise<void> {
  const { metrics, log } = parts;
  const stopped = new AbortController();
  let due = 0;
  metrics.gauge("svc_emitter_due", "Emitters that the last look found due.", () => due);
  const emitted = metrics.counter("svc_emitted_total", "Signals that emitters enqueued.");
  const lag = metrics.histogram(
    "svc_emitter_lag_seconds",
    "Time from a tick, jitter included, to the signal's enqueue.",
    [0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300, 3600],
  );
  const emitting = repeat({ signal: stopped.signal, log }, "emitters", everyMs, async () => {
    for (let settled = 1; settled > 0 && !stopped.signal.aborted;) {
      const look = await emitDue({
        ...parts,
        onEmitted: (lateS) => {
          emitted.add();
          lag.observe(lateS);
        },
      });
      due = look.found;
      settled = look.settled;
    }
  });
  return async () => {
    stopped.abort();
    await emitting;
  };
}

import type { Metrics } from "../metrics.ts";
import { makeReportSignal, type ReportSignal } from "./report-signal.ts";
import { makeSignalClaims, type SignalClaims, type SignalClaimsOptions } from "./signal-claims.ts";

/** Where claims of signals wait, and what their workers report; both with metrics. */
export function claimingSignals(
  parts: Omit<SignalClaimsOptions, "onBatch" | "reportSignal">,
  metrics: Metrics,
): { readonly signalClaims: SignalClaims; readonly reportSignal: ReportSignal } {
  const batches = metrics.histogram(
    "svc_signal_claim_batch",
    "Parked claims of signals that one statement served.",
    [1, 2, 4, 8, 16, 32, 64, 128, 256],
  );
  const reportSignal = makeReportSignal(parts);
  const onBatch = (size: number): void => batches.observe(size);
  const signalClaims = makeSignalClaims({ ...parts, reportSignal, onBatch });
  const { parked } = signalClaims.dispatcher;
  const help = "Claims of signals parked at this broker.";
  metrics.gauge("svc_parked_signal_claims", help, () => parked.size);
  return { signalClaims, reportSignal };
}

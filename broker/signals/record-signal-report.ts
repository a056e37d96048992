import { problem } from "../../shared/problem.ts";
import type { SignalStatus } from "../../shared/queue-signal.ts";
import type { ReportSignal, SignalReport } from "./report-signal.ts";

export type RecordedSignal = { readonly status: SignalStatus; readonly leaseUntil: Date | null };

/** Records what a worker says of its execution; refuses with 404, or 409 where its lease is not the current one. */
export async function recordSignalReport(
  reportSignal: ReportSignal,
  report: SignalReport,
): Promise<RecordedSignal> {
  const { outcome, status, leaseUntil } = await reportSignal(report);
  if (status === null || outcome === "not-found") throw problem.notFound("signal");
  if (outcome === "lost") {
    throw problem.conflict(
      "lease_lost",
      `${whyLost[status]} Stop this execution: the broker ignores anything more that it reports. Claim the queue again to continue.`,
      { signal_status: status },
    );
  }
  return { status, leaseUntil };
}

const elsewhere =
  "This lease is not the signal's current one: it ran out, and another claim has it.";
/** A signal does not say whose report it was: this worker's own may have been taken before. */
const over = "This lease is over:";

const whyLost: Readonly<Record<SignalStatus, string>> = {
  queued: `${over} the signal waits for another claim.`,
  "in-flight": elsewhere,
  retrying: `${over} this execution was reported as failed, and the signal waits for its next one.`,
  finished: `${over} the signal is finished.`,
  dead: `${over} the signal is dead.`,
  expired: `${over} the signal has expired.`,
  cancelled: "The signal was cancelled.",
};

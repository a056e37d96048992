import type { Request } from "../requests/make-request.ts";
import { pause } from "../requests/pause.ts";
import { isPassing, pauseMs } from "../requests/send-again.ts";
import { SvcError } from "../svc-error.ts";
import type { ClaimedSignal, SignalResult } from "./claimed-signal.ts";
import { SignalFailure } from "./signal-failure.ts";

/** How an execution ended. */
export type End =
  | { readonly what: "complete"; readonly body: { readonly result?: SignalResult } }
  | { readonly what: "fail"; readonly body: { readonly description: string } };

type Reporting = {
  readonly request: Request;
  readonly queue: string;
  readonly signal: Pick<ClaimedSignal, "id" | "lease_id">;
  /** So long a report is repeated; afterwards the signal is somebody else's. */
  readonly patienceMs: number;
};

const mostDescription = 4_000;
/** Of one attempt; it is repeated here. */
const timeoutMs = 15_000;

/** What a handler's error says of its signal. */
export function endOfError(error: unknown): End {
  const description = wordsOf(error).slice(0, mostDescription);
  if (!(error instanceof SignalFailure)) return { what: "fail", body: { description } };
  const { retry, retryAfterMs, result } = error;
  const body = {
    description,
    ...(retry !== undefined && { retry }),
    ...(retryAfterMs !== undefined && { retry_after: Math.round(retryAfterMs * 1e6) }),
    ...(result !== undefined && { result }),
  };
  return { what: "fail", body };
}

/**
 * Says how an execution ended, by its lease, until it is answered. A result that the broker does not take is a failure
 * that is not tried again: what was done would be done twice, for the same result.
 */
export async function reportEnd(reporting: Reporting, end: End): Promise<void> {
  try {
    await report(reporting, end);
  } catch (error) {
    const isRefused = error instanceof SvcError && [400, 413, 422].includes(error.status);
    if (!isRefused || end.what === "fail") throw error;
    const description = `Its result was refused: ${error.message}`.slice(0, mostDescription);
    await report(reporting, endOfError(new SignalFailure(description, { retry: false })));
    throw error;
  }
}

async function report(
  { request, queue, signal, patienceMs }: Reporting,
  { what, body }: End,
): Promise<void> {
  const path = `/v1/queues/{queue_id}/signals/{signal_id}/${what}`;
  const params = { queue_id: queue, signal_id: signal.id };
  const sinceMs = performance.now();
  for (let nth = 0; ; nth++) {
    try {
      const told = { lease_id: signal.lease_id, ...body };
      await request("post", path, { params, body: told, timeoutMs, retries: 0 });
      return;
    } catch (error) {
      const isWorthIt = error instanceof SvcError && (isPassing(error) || error.status >= 500);
      if (!isWorthIt || performance.now() - sinceMs > patienceMs) throw error;
      await pause(pauseMs(error, nth));
    }
  }
}

function wordsOf(error: unknown): string {
  const words = error instanceof Error ? error.message || error.name : String(error);
  return words === "" ? "The handler failed." : words;
}

import { isPassing } from "../requests/is-passing.ts";
import type { Request } from "../requests/make-request.ts";
import { pause } from "../requests/pause.ts";
import { longestPauseMs, pauseMs } from "../requests/send-again.ts";
import { SvcError } from "../svc-error.ts";
import type { ClaimedSignal, SignalResult } from "./claimed-signal.ts";
import { SignalFailure } from "./signal-failure.ts";

/** How an execution ended. */
export type End =
  | { readonly what: "complete"; readonly body: { readonly result?: SignalResult } }
  | { readonly what: "fail"; readonly body: Failure };

type Failure = {
  readonly description: string;
  readonly retry?: boolean;
  readonly retry_after?: number;
  readonly result?: SignalResult;
};

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

/** What a handler's result says of its signal; a SignalFailure for one that cannot be told. */
export function endOfResult(result: SignalResult | void): End {
  return { what: "complete", body: result === undefined ? {} : { result: asJson(result) } };
}

/** What a handler's error says of its signal. */
export function endOfError(error: unknown): End {
  const description = storable(wordsOf(error));
  if (!(error instanceof SignalFailure)) return { what: "fail", body: { description } };
  const { retry, retryAfterMs } = error;
  const body = {
    description,
    ...(retry !== undefined && { retry }),
    ...(retryAfterMs !== undefined && { retry_after: Math.round(retryAfterMs * 1e6) }),
    ...resultOf(error),
  };
  return { what: "fail", body };
}

/**
 * Says how an execution ended, by its lease, until it is answered. A result that the broker does not take is a failure
 * that is not tried again: what was done would be done twice, for the same result. A failure that it does not take is
 * told without what may be wrong with it.
 */
export async function reportEnd(reporting: Reporting, end: End): Promise<void> {
  try {
    await report(reporting, end);
  } catch (error) {
    const isRefused = error instanceof SvcError && [400, 413, 422].includes(error.status);
    if (!isRefused) throw error;
    await report(reporting, { what: "fail", body: plainFailure(end, error) });
    throw error;
  }
}

function plainFailure(end: End, { message }: SvcError): Failure {
  if (end.what === "complete")
    return { description: storable(`Its result was refused: ${message}`), retry: false };
  const { description, retry } = end.body;
  return { description, ...(retry !== undefined && { retry }) };
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
      const leftMs = patienceMs - (performance.now() - sinceMs);
      if (!isWorthIt || leftMs < 1) throw error;
      await pause(Math.min(pauseMs(error, nth), longestPauseMs, leftMs));
    }
  }
}

/** A copy, as it is told: what it is taken from may change meanwhile. */
function asJson(result: SignalResult): SignalResult {
  try {
    return JSON.parse(JSON.stringify(result)) as SignalResult; // of what was one
  } catch (error) {
    const words = `Its result is no JSON: ${wordsOf(error)}`;
    throw new SignalFailure(words, { retry: false, cause: error });
  }
}

/** A failure is told without a result that cannot be. */
function resultOf({ result }: SignalFailure): { readonly result?: SignalResult } {
  try {
    return result === undefined ? {} : { result: asJson(result) };
  } catch {
    return {};
  }
}

function wordsOf(error: unknown): string {
  try {
    const words = error instanceof Error ? error.message || error.name : error;
    return String(words) || "The handler failed.";
  } catch {
    return "The handler failed."; // it threw what has no words
  }
}

/** As a broker takes text: without NUL, and no character halved. */
function storable(text: string): string {
  const cut = text.slice(0, mostDescription).replace(/[\uD800-\uDBFF]$/, "");
  return cut.toWellFormed().replaceAll("\0", "\uFFFD");
}

import { randomUUID } from "node:crypto";
import { isPassing } from "../requests/is-passing.ts";
import type { Request } from "../requests/make-request.ts";
import { pause } from "../requests/pause.ts";
import { longestPauseMs, pauseMs } from "../requests/send-again.ts";
import type { CallOptions } from "../route-types.ts";
import { SvcError } from "../svc-error.ts";
import type { ClaimedSignal } from "./claimed-signal.ts";

/** What was claimed, and the broker's time then. */
export type Claimed<Signal> = {
  readonly signals: readonly Signal[];
  readonly now: string;
  /** From the question to its answer: so long the answer was on its way at most. */
  readonly tookMs: number;
};

type Claiming = {
  readonly request: Request;
  readonly queue: string;
  readonly name?: string | undefined;
  readonly leaseMs: number;
  readonly max: number;
  readonly stopping: AbortSignal;
  readonly onError: (error: unknown) => void;
};

const pausedMs = 5_000;
/** A broker that does not answer holds up no stop for long. */
const lastTimeoutMs = 10_000;

/**
 * Claims, and repeats the claim by its id until it is answered. One that is stopped half-way is asked for once more,
 * without a wait: what it may have got would be held until its lease runs out.
 */
export async function claimSignals<Signal extends ClaimedSignal>(
  claiming: Claiming,
): Promise<Claimed<Signal>> {
  const { request, queue, name, leaseMs, stopping, onError } = claiming;
  const claim_id = randomUUID();
  const claim = async (asked: { max: number; wait: string }, options: CallOptions) => {
    const worker = name === undefined ? {} : { worker: name };
    const body = { claim_id, lease: leaseMs * 1e6, ...worker, ...asked };
    const path = "/v1/queues/{queue_id}/signals/claim";
    const askedMs = performance.now();
    const answer = await request("post", path, { params: { queue_id: queue }, body, ...options });
    const claimed = answer.body as Omit<Claimed<Signal>, "tookMs">; // by the contract
    return { ...claimed, tookMs: performance.now() - askedMs };
  };
  for (let nth = 0; ; nth++) {
    try {
      const asked = { max: claiming.max, wait: "25s" };
      return await claim(asked, { signal: stopping, timeoutMs: 40_000, retries: 4 });
    } catch (error) {
      if (stopping.aborted) break;
      const ms = restMs(error, nth);
      onError(error);
      await pause(ms, stopping).catch(() => {}); // then the claim ends at once
    }
  }
  const last = claim({ max: 1, wait: "0s" }, { timeoutMs: lastTimeoutMs, retries: 0 });
  return await last.catch((error: unknown) => {
    onError(error);
    return { signals: [], now: "", tookMs: 0 };
  });
}

/** How long to wait before the claim is repeated; throws what is refused for good. */
function restMs(error: unknown, nth: number): number {
  if (!(error instanceof SvcError)) throw error;
  const isPaused = error.code === "queue_paused";
  if (!isPaused && !isPassing(error) && error.status < 500) throw error;
  const ms = isPaused ? (error.retryAfterMs ?? pausedMs) : pauseMs(error, nth);
  return Math.min(ms, longestPauseMs); // by then it may be otherwise
}

import type { Attempt } from "./send-event.ts";

/** The delays after failed tries, each ± 20 %. */
export const retryDelaysMs = [
  5_000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000, 86_400_000,
] as const;

/** After so many tries a delivery no longer holds up the ones after it. */
export const triesInLine = 4;

const mostJitter = 0.2;

/** What is next for a delivery, and what the attempt says of its webhook. */
export type AfterAttempt = {
  readonly status: "pending" | "delivered" | "failed";
  /** Until the next try. */
  readonly delay_ms: number;
  /** It leaves its stream; those after it go on. */
  readonly is_detached: boolean;
  /** The receiver asked not to be called at all for so long. */
  readonly rest_ms: number;
  readonly counts: "delivered" | "failed" | "gone" | "nothing";
  /** It is the first failure of its event. */
  readonly is_first: boolean;
};

type Tried = {
  /** The automatic tries before this one. */
  readonly tries: number;
  /** Somebody asked for it: it is tried once. */
  readonly isResent: boolean;
  readonly isDetached: boolean;
};

const unauthorized = 401;
const gone = 410;
const asksToWait = [429, 503];

/** Decides about a delivery after a try; `chance` from 0 to 1 spreads retries. */
export function afterAttempt(
  { tries, isResent, isDetached }: Tried,
  {
    result,
    response_status: status,
    retryAfterMs,
  }: Pick<Attempt, "result" | "response_status" | "retryAfterMs">,
  chance: number = Math.random(),
): AfterAttempt {
  const ended = { delay_ms: 0, is_detached: false, rest_ms: 0, is_first: false };
  if (result === "delivered") return { ...ended, status: "delivered", counts: "delivered" };
  if (status === gone) return { ...ended, status: "failed", counts: "gone" };
  if (status === unauthorized || isResent) return { ...ended, status: "failed", counts: "nothing" };
  const isFirst = tries === 0;
  const delayMs = retryDelaysMs[tries];
  if (delayMs === undefined) {
    return { ...ended, status: "failed", counts: "failed", is_first: isFirst };
  }
  const restMs = asksToWait.includes(status ?? 0) ? (retryAfterMs ?? 0) : 0;
  const spreadMs = Math.round(delayMs * (1 - mostJitter + 2 * mostJitter * chance));
  return {
    status: "pending",
    delay_ms: Math.max(restMs, spreadMs), // by its word alone, one that says "in a second" uses up all tries in seconds
    is_detached: !isDetached && tries + 1 >= triesInLine,
    rest_ms: restMs,
    counts: "failed",
    is_first: isFirst,
  };
}

import { SvcError } from "../svc-error.ts";
import type { Connection } from "./connection.ts";
import { pause } from "./pause.ts";
import type { RawAnswer } from "./read-answer.ts";
import { type Sent, sendOnce } from "./send-once.ts";

const firstPauseMs = 250;
const longestBackOffMs = 8_000;
/** Who is to come back later than this decides that himself. */
export const longestPauseMs = 60_000;

/** How often a request is sent after it was not answered, or refused for the moment. */
export type Again = { readonly retries: number };

/**
 * Sends a request until it is answered for good, and no more often than it may be. What is no longer there when its
 * DELETE is repeated is deleted: by the attempt whose answer was lost.
 */
export async function sendAgain(
  connection: Connection,
  sent: Sent,
  { retries }: Again,
): Promise<RawAnswer> {
  let mayBeDone = false;
  for (let nth = 0; ; nth++) {
    try {
      return await sendOnce(connection, sent);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      if (sent.method === "delete" && mayBeDone && isGone(error)) return gone();
      if (nth >= retries || !connection.mayPass(error)) throw error;
      mayBeDone ||= isLost(error);
      if ((error.retryAfterMs ?? 0) > longestPauseMs) throw error;
      const ms = pauseMs(error, nth);
      connection.onAgain?.(error, ms);
      await pause(ms, sent.signal);
    }
  }
}

const gone = (): RawAnswer => ({ status: 404, headers: new Headers(), bytes: new Uint8Array() });

/** A proxy's 404 has no code. */
const isGone = ({ status, code }: SvcError): boolean => status === 404 && code !== "unknown";

/** Whether a broker may have done what it was asked for, and its answer was lost. */
function isLost({ status, code }: SvcError): boolean {
  return code === "unknown" || [0, 408, 502, 504].includes(status);
}

/** What the answer asks for and a little more, so that not all come back at once; else a back-off, half of it by chance. */
export function pauseMs({ retryAfterMs }: Pick<SvcError, "retryAfterMs">, nth: number): number {
  const backOffMs = Math.min(longestBackOffMs, firstPauseMs * 2 ** nth);
  if (retryAfterMs !== undefined) return retryAfterMs + Math.random() * firstPauseMs;
  return backOffMs / 2 + Math.random() * (backOffMs / 2);
}

import { type BackoffLimits, backoffMs } from "../client/backoff.ts";
import type { Log } from "../log.ts";
import { makeWakeUp } from "../loops/wake-up.ts";
import type { BrokerLink } from "./management.ts";

const lookEveryMs = 3_600_000;

type LookingAfter = {
  readonly log: Log;
  readonly limits: BackoffLimits;
  /** The agent was given a token. */
  readonly onGiven: () => void;
};

/**
 * Sees to it that the install agent has a token that the broker accepts: now, whenever that of this process changes, and
 * each hour, until the signal aborts. Never rejects.
 */
export async function lookAfterToken(
  link: Pick<BrokerLink, "provideToken" | "onTokenChange">,
  { log, limits, onGiven }: LookingAfter,
  signal: AbortSignal,
): Promise<void> {
  const wakeUp = makeWakeUp();
  link.onTokenChange(wakeUp.wake);
  let failures = 0;
  while (!signal.aborted) {
    let waitMs = lookEveryMs;
    try {
      if (await link.provideToken(signal)) onGiven();
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      log.error({ err: error }, "whether the agent has a valid token is not known; trying again");
      waitMs = backoffMs(failures++, limits);
    }
    await wakeUp.wait(waitMs, signal);
  }
}

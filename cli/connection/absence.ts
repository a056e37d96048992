import { setTimeout as sleep } from "node:timers/promises";
import { BrokerUnreachable, RequestRefused } from "../../shared/api/call-route.ts";

/** So long a broker may be away (a restart, a new replica) before it is given up. */
const usualAbsenceMs = 60_000;
const pauseMs = 500;

export type Patience = {
  /** Throws the error on when it tells of no absence, or of one that has lasted too long. */
  readonly bear: (error: unknown) => void;
  /** The broker is there. */
  readonly heard: () => void;
};

/**
 * Bears with a broker that is away for a minute, unless told. The time begins with the first error: before that this
 * process may have been held up itself, as by a reader of its output that paused.
 */
export function makePatience(absenceMs = usualAbsenceMs): Patience {
  let awaySinceMs: number | undefined;
  return {
    bear(error) {
      if (!isAbsence(error)) throw error;
      awaySinceMs ??= performance.now();
      if (performance.now() - awaySinceMs > absenceMs) throw error;
    },
    heard: () => (awaySinceMs = undefined),
  };
}

/** Asks, again and again while the broker is away; throws as a patience does. */
export async function askPatiently<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  const patience = makePatience();
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      patience.bear(error);
    }
    await sleep(pauseMs);
  }
}

function isAbsence(error: unknown): boolean {
  if (error instanceof BrokerUnreachable) return true;
  return error instanceof RequestRefused && (error.status === 429 || error.status >= 502);
}

import { isPassing } from "../requests/is-passing.ts";
import { pauseMs } from "../requests/send-again.ts";
import { SvcError } from "../svc-error.ts";

/** So long a broker may be away (a restart, a new replica) before it is given up. */
const usualAbsenceMs = 60_000;

/** Whoever asks a broker again while it is away. */
export type Patience = {
  /**
   * How long to wait before asking again: as told, else longer each time, but no longer than an absence is borne.
   * Throws the error on where it tells of no absence, or of one that has lasted too long.
   */
  readonly bear: (error: unknown, waitMs?: number) => number;
  /** The broker is there. */
  readonly heard: () => void;
};

/**
 * Bears with a broker that is away for a minute, unless told. The time begins with the first error: before that this
 * process may have been held up itself, as by a reader of its output that paused.
 */
export function makePatience(absenceMs = usualAbsenceMs): Patience {
  let awaySinceMs: number | undefined;
  let nth = 0;
  return {
    bear(error, waitMs) {
      if (!(error instanceof SvcError) || !isPassing(error)) throw error;
      awaySinceMs ??= performance.now();
      const leftMs = absenceMs - (performance.now() - awaySinceMs);
      if (leftMs <= 0) throw error;
      return Math.min(waitMs ?? pauseMs(error, nth++), leftMs);
    },
    heard() {
      awaySinceMs = undefined;
      nth = 0;
    },
  };
}

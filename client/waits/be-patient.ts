import { pause } from "../requests/pause.ts";
import { isPassing, pauseMs } from "../requests/send-again.ts";
import { SvcError } from "../svc-error.ts";

/** So long a broker may be away (a restart, a new replica) before a wait gives it up. */
const usualAbsenceMs = 60_000;

/** Asks again while the broker is away, for a minute after the first error; then, and else, it throws. */
export async function bePatient<Answer>(
  ask: () => Promise<Answer>,
  { signal, absenceMs = usualAbsenceMs }: { signal?: AbortSignal | undefined; absenceMs?: number },
): Promise<Answer> {
  let awaySinceMs: number | undefined;
  for (let nth = 0; ; nth++) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof SvcError) || !isPassing(error)) throw error;
      awaySinceMs ??= performance.now();
      const ms = pauseMs(error, nth);
      if (performance.now() + ms - awaySinceMs > absenceMs) throw error;
      await pause(ms, signal);
    }
  }
}

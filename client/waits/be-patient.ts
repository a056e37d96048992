import { pause } from "../requests/pause.ts";
import { makePatience } from "./make-patience.ts";

type Bearing = { readonly signal?: AbortSignal | undefined; readonly absenceMs?: number };

/** Asks again while the broker is away, for a minute after the first error unless told; then, and else, it throws. */
export async function bePatient<Answer>(
  ask: () => Promise<Answer>,
  { signal, absenceMs }: Bearing = {},
): Promise<Answer> {
  const patience = makePatience(absenceMs);
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      await pause(patience.bear(error), signal);
    }
  }
}

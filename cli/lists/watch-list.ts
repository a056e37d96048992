import { setTimeout as sleep } from "node:timers/promises";
import { makePatience } from "../../client/waits/make-patience.ts";
import { showChanges } from "./show-changes.ts";
import { showInPlace } from "./show-in-place.ts";
import type { Watching } from "./watching.ts";

/** So long a broker may be away before nobody is watched any more. */
const absenceMs = 10 * 60_000;
/** Watchers of one broker do not look at the same moment. */
const jitter = 0.1;

/** Shows a list again whenever it changes, until the process is interrupted; throws when its broker stays away. */
export async function watchList<Item>(watching: Watching<Item>): Promise<never> {
  const { screen, read, intervalMs } = watching;
  const patience = makePatience(absenceMs);
  const show =
    screen.format === "table" && screen.frame !== undefined
      ? showInPlace(watching, screen.frame)
      : showChanges(watching);
  let away: string | undefined;
  for (;;) {
    try {
      const page = await read();
      patience.heard();
      if (away !== undefined) tell("The broker is reachable again.");
      away = undefined;
      show(page);
      await screen.drained();
    } catch (error) {
      patience.bear(error, 0);
      const why = error instanceof Error ? error.message : "The broker is not reachable.";
      if (away === undefined) tell(`${why} Looking again …`);
      away = why;
    }
    await sleep(intervalMs * (1 + jitter * (Math.random() * 2 - 1)));
  }

  /** On a terminal the status line tells it, which goes when it is over. */
  function tell(words: string): void {
    if (screen.status === undefined) screen.say(words);
    else screen.status(away === undefined ? words : undefined);
  }
}

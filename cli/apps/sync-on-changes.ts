import { setTimeout as sleep } from "node:timers/promises";
import { isPassing } from "../../client/requests/is-passing.ts";
import { SvcError } from "../../client/svc-error.ts";
import type { ConfigFolder } from "../../shared/app-config/config-folder.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { explainError } from "../errors/explain-error.ts";
import type { Screen } from "../output/screen.ts";
import { type FolderMarks, recordMarks } from "./folder-marks.ts";

/** Looks at a directory are so far apart; two of them that are equal are the end of a change. */
const lookMs = 300;
/** A broker that is away is asked again after this time, and then after twice as long, up to the longest. */
const againMs = { first: 1000, longest: 30_000 } as const;

type Synced = {
  readonly screen: Screen;
  readonly title: string;
  readonly open: () => Promise<ConfigFolder>;
  readonly sync: (folder: ConfigFolder) => Promise<unknown>;
};

/**
 * Syncs a directory, and again whenever its files have changed and are at rest, also after what went wrong; a broker
 * that was away is asked again. Ends by Ctrl-C, after a sync that is under way.
 */
export async function syncOnChanges({ screen, title, open, sync }: Synced): Promise<number> {
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort()); // another one ends the process
  let pauseMs: number = againMs.first;
  while (!stop.signal.aborted) {
    const marks = await recordMarks(title);
    const outcome = await attempt();
    if (outcome !== "away") {
      pauseMs = againMs.first;
      screen.say(`Watching ${title}; Ctrl-C ends it.`);
    }
    await nextChange(marks, stop.signal, outcome === "away" ? pauseMs : Infinity);
    if (outcome === "away") pauseMs = Math.min(2 * pauseMs, againMs.longest);

    async function attempt(): Promise<"done" | "away"> {
      const folder = await open().catch((error: unknown) => {
        if (!(error instanceof UsageError)) throw error;
        screen.say(error.message); // there is none; there may be one later
      });
      if (folder === undefined) return "done";
      try {
        await sync(marks.watched(folder));
      } catch (error) {
        if (!mayPass(error)) throw error;
        for (const words of explainError(error).words) screen.say(words);
        return isAway(error) ? "away" : "done";
      }
      return "done";
    }
  }
  screen.say(`Stopped watching ${title}.`);
  return exitCodes.interrupted.code;
}

/** Resolves when the directory has changed and is at rest, after so long, or when it is to stop. */
async function nextChange(marks: FolderMarks, stop: AbortSignal, mostMs: number): Promise<void> {
  const endMs = performance.now() + mostMs;
  let last = await marks.look();
  let isChanged = last !== "same";
  for (;;) {
    if (stop.aborted || (!isChanged && performance.now() > endMs)) return;
    await sleep(lookMs, undefined, { signal: stop }).catch(() => {});
    const now = await marks.look();
    if (isChanged && now === last) return;
    isChanged = now !== "same";
    last = now;
  }
}

/** What another edit, or time, may mend; a token that is not let in is not mended by either. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof SvcError)) return false;
  return error.status === 0 ? isPassing(error) : error.status !== 401 && error.status !== 403;
}

const isAway = (error: unknown): boolean => explainError(error).code === exitCodes.unavailable.code;

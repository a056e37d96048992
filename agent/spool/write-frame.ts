import { errorCode } from "../files/disk-error.ts";
import type { LogFrame, RunPosition } from "./log-frame.ts";
import { appendFrame, type LogSegment, segmentAfter } from "./log-segments.ts";

type Writing = {
  readonly makeFolder: () => Promise<void>;
  /** By performance.now(). */
  syncedAtMs: number;
};

type Ended = {
  readonly dir: string;
  readonly segments: readonly LogSegment[];
  readonly runs: ReadonlyMap<string, RunPosition>;
  readonly nextSeq: number;
  readonly isClosed: boolean;
};

const syncEveryMs = 1000;
/** Fewer bytes without lines are not worth another file. */
const leastCleared = 16 * 1024;

/** Appends the frame. Once a second the file is synced to survive a power failure. */
export async function writeFrame(
  state: Writing,
  segment: LogSegment,
  frame: LogFrame,
): Promise<void> {
  const isDurable = performance.now() - state.syncedAtMs >= syncEveryMs;
  try {
    await appendFrame(segment, frame, isDurable);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    await state.makeFolder(); // it could not be made before, or somebody removed it
    await appendFrame(segment, frame, isDurable);
  }
  if (isDurable) state.syncedAtMs = performance.now();
}

/**
 * Replaces what was sent of a log by a frame without lines, which holds the positions. Nothing to do when only that is
 * left.
 */
export async function writeEnd({
  dir,
  segments,
  runs,
  nextSeq,
  isClosed,
}: Ended): Promise<LogSegment | undefined> {
  const last = segments.at(-1);
  if (last === undefined || last.held !== undefined) return undefined;
  if (last.isBare === true && last.size < leastCleared) return undefined;
  const end = segmentAfter(dir, last);
  const nothing = {
    count: 0,
    records: Buffer.alloc(0),
    ...(isClosed && { isLast: true as const }),
  };
  await appendFrame(end, { ...nothing, firstSeq: nextSeq, runs: Object.fromEntries(runs) }, true);
  return { ...end, isBare: true };
}

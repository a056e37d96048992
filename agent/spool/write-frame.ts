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
/** Less without lines is not worth another file. */
const leastCleared = 16 * 1024;

/** Appends the frame. Once a second what was written is made to outlast a power cut. */
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
    await state.makeFolder(); // it could not be made before, or somebody has taken it away
    await appendFrame(segment, frame, isDurable);
  }
  if (isDurable) state.syncedAtMs = performance.now();
}

/** In place of what was sent of a log: a frame without lines, which says how far the log got. Nothing where that is all there is. */
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

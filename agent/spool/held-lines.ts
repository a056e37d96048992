import type { LogFrame } from "./log-frame.ts";
import { holdFrame, type LogSegment, segmentAfter } from "./log-segments.ts";

const mostHeldBytes = 2 * 1024 * 1024;
const heldSegmentBytes = 256 * 1024;

/** Keeps in memory lines that the disk has refused. */
export function holdLines(dir: string, segments: LogSegment[], frame: LogFrame): void {
  const last = segments.at(-1);
  const isNew = last?.held === undefined || last.size >= heldSegmentBytes;
  const segment = isNew ? segmentAfter(dir, last) : last;
  holdFrame(segment, frame);
  if (isNew) segments.push(segment);
}

/** Whether more is held than may be. */
export function isTooMuchHeld(segments: readonly LogSegment[]): boolean {
  return segments.reduce((sum, { held }) => sum + (held?.length ?? 0), 0) > mostHeldBytes;
}

/** Which of the held segments is given up first: neither what is sent next nor the tail. */
export function heldInTheMiddle(segments: readonly LogSegment[]): number | undefined {
  const at = segments.findIndex(({ held }, index) => held !== undefined && index > 0);
  return at === -1 || at === segments.length - 1 ? undefined : at;
}

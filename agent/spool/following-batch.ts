import { type LogBatch, toBatch } from "./log-batch.ts";
import { type LogSegment, type ReadBuffer, readFrames } from "./log-segments.ts";

type Spooled = { readonly segments: readonly LogSegment[]; readonly buffer: ReadBuffer };

/** What comes after a batch, if that is there already. */
export async function followingBatch(
  { segments, buffer }: Spooled,
  { segment: current, end, firstSeq, count }: LogBatch,
  mostBytes: number,
): Promise<LogBatch | undefined> {
  const at = segments.indexOf(current);
  const isUsedUp = end >= current.size;
  const segment = at === -1 ? undefined : segments[isUsedUp ? at + 1 : at];
  if (segment === undefined) return undefined;
  const frames = await readFrames(segment, isUsedUp ? 0 : end, { mostBytes, buffer });
  if (frames.length === 0) return undefined;
  const batch = toBatch({ segment, frames }, mostBytes, firstSeq + count);
  return batch.count === 0 ? undefined : sealIfWhole(batch);
}

/**
 * Nothing is written any more behind what is on its way to the broker: a segment that is read to its end leaves the disk
 * as soon as that is there, however fast the job goes on to print.
 */
export function sealIfWhole(batch: LogBatch): LogBatch {
  if (batch.end >= batch.segment.size) batch.segment.isSealed = true;
  return batch;
}

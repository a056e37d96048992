import { recordLengths } from "../logs/otlp-records.ts";
import { type LogSegment, type LocatedFrame, type ReadBuffer, readFrames } from "./log-segments.ts";

/** Lines that travel in one request: numbered one after the other. */
export type LogBatch = {
  readonly firstSeq: number;
  readonly count: number;
  readonly records: readonly Buffer[];
  /** So many lines before the first are not there any more. */
  readonly missing: number;
  readonly segment: LogSegment;
  /** Where in the segment sending goes on after it. */
  readonly end: number;
};

/**
 * As many lines of the frames, of which there is one at least, as fit into so many bytes: one line at least; and none
 * from behind a gap. `nextSeq` is the line that is to come, if that is known: what is before it was sent already.
 */
export function toBatch(
  { segment, frames }: { readonly segment: LogSegment; readonly frames: readonly LocatedFrame[] },
  mostBytes: number,
  nextSeq: number | undefined,
): LogBatch {
  const records: Buffer[] = [];
  let bytes = 0;
  let count = 0;
  let end = frames[0]?.at ?? 0;
  const firstSeq = Math.max(frames[0]?.frame.firstSeq ?? 0, nextSeq ?? 0);
  for (const { frame, at, end: frameEnd } of frames) {
    if (frame.count > 0 && count > 0 && frame.firstSeq !== firstSeq + count) break;
    const sent = Math.max(0, firstSeq + count - frame.firstSeq);
    const rest = sent === 0 ? frame.records : afterRecords(frame.records, sent);
    const isWhole = bytes + rest.length <= mostBytes;
    if (!isWhole && count > 0) break;
    const part = isWhole
      ? { bytes: rest, count: frame.count - sent }
      : firstRecords(rest, mostBytes);
    records.push(part.bytes);
    bytes += part.bytes.length;
    count += part.count;
    end = isWhole || sent + part.count === frame.count ? frameEnd : at;
    if (!isWhole) break;
  }
  const isAnew = frames[0]?.frame.isAnew === true;
  const missing = isAnew ? 0 : firstSeq - (nextSeq ?? firstSeq);
  return { firstSeq, count, records, missing, segment, end };
}

function afterRecords(records: Buffer, count: number): Buffer {
  const lengths = recordLengths(records).slice(0, count);
  return records.subarray(lengths.reduce((sum, length) => sum + length, 0));
}

/** The records that fit; one at least. */
function firstRecords(records: Buffer, mostBytes: number): { bytes: Buffer; count: number } {
  let bytes = 0;
  let count = 0;
  for (const length of recordLengths(records)) {
    if (count > 0 && bytes + length > mostBytes) break;
    bytes += length;
    count += 1;
  }
  return { bytes: records.subarray(0, bytes), count };
}

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

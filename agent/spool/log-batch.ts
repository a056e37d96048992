import { recordLengths } from "../logs/otlp-records.ts";
import { type LogSegment, type LocatedFrame, type ReadBuffer, readFrames } from "./log-segments.ts";

/** Lines of one request, with consecutive numbers. */
export type LogBatch = {
  readonly firstSeq: number;
  readonly count: number;
  readonly records: readonly Buffer[];
  /** How many lines directly before the first were dropped. */
  readonly missing: number;
  readonly segment: LogSegment;
  /** The position in the segment after it. */
  readonly end: number;
};

/**
 * Takes as many lines of the frames as fit into the given bytes, at least one, and none after a gap. There is at least
 * one frame. `nextSeq` is the next line to send, if known: earlier ones were sent.
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

/** The records that fit; at least one. */
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

/** The batch after this one, if it is available already. */
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
 * Seals the segment whose end is being sent: nothing more is written to it, so that it can be deleted once it is sent,
 * however fast the job prints.
 */
export function sealIfWhole(batch: LogBatch): LogBatch {
  if (batch.end >= batch.segment.size) batch.segment.isSealed = true;
  return batch;
}

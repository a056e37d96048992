import type { LogBatch } from "../spool/log-batch.ts";
import type { LogIdentity } from "../spool/stream-file.ts";
import { encodeAttribute, makeRecordBuffer } from "./otlp-records.ts";

const warning = 13;
/** The broker takes no number that is a million or more after the last. */
const longestJump = 900_000;

/**
 * What is said in the place of lines that were dropped: one record with the number of the first of them. The other
 * numbers stay free, so that readers see how many are missing.
 */
export function droppedNotices(
  { executionId }: LogIdentity,
  { firstSeq, missing }: Pick<LogBatch, "firstSeq" | "missing">,
): Buffer[] {
  if (missing <= 0) return [];
  const buffer = makeRecordBuffer();
  const shared = Buffer.concat([
    encodeAttribute("runner_job_execution.id", executionId),
    encodeAttribute("svc.notice", "dropped"),
  ]);
  const text = Buffer.from(
    `svc-agent: ${missing} lines are missing here: the space for unsent logs was full, or the disk lost them.`,
  );
  for (let seq = firstSeq - missing; seq < firstSeq; seq += longestJump) {
    buffer.add(text, { seq, atMs: Date.now(), severity: warning, shared, isContinued: false });
  }
  return [buffer.take()];
}

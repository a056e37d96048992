import type { LogBatch } from "../spool/log-batch.ts";
import type { LogIdentity } from "../spool/stream-file.ts";
import { encodeAttribute, makeRecordBuffer } from "./otlp-records.ts";

const warning = 13;
/** The broker refuses a number that is a million or more after the last. */
const longestJump = 900_000;

/**
 * Makes the notice that replaces dropped lines: one record with the number of the first of them. The other numbers
 * stay unused, so that readers see how many lines are missing.
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

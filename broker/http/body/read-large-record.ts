import { isUtf8 } from "node:buffer";
import { readRecord, type RecordFacts } from "../../helm-releases/read-record.ts";
import type { WorkDone, WorkGiven } from "../../work-pool/work-kind.ts";
import { extractStrings } from "./extract-strings.ts";

/** Reads a large record of helm in a child process. Its chart is most of it, and is never made a value; nothing that is kept is long. */
export function readLargeRecord({
  bytes: [record = Buffer.alloc(0)],
}: WorkGiven<object>): WorkDone<RecordFacts> {
  return { told: factsOf(record), bytes: [] };
}

function factsOf(bytes: Buffer): RecordFacts {
  if (!isUtf8(bytes)) return readRecord(bytes); // refuses it
  const { text, words } = extractStrings(bytes);
  const facts = readRecord(Buffer.from(text));
  return JSON.stringify(facts).search(words) === -1 ? facts : readRecord(bytes);
}

import type { LogRecord } from "../store/log-record.ts";
import type { LogStream } from "../store/row.ts";
import { toOtelRecord } from "./to-otel-record.ts";

/** Records share much of what is stored, and each has all of it in an answer. */
const mostLetters = 4 * 1024 * 1024;

/** The records that one answer has room for, as an array of JSON, and the first that it has none for. */
export type OtelPart = { readonly text: string; readonly rest: LogRecord | undefined };

/** As many records as one answer has room for, and at least one of them. */
export function otelPart(stream: LogStream, records: readonly LogRecord[]): OtelPart {
  const texts: string[] = [];
  let letters = 0;
  for (const record of records) {
    const text = JSON.stringify(toOtelRecord(stream, record));
    letters += text.length;
    if (texts.length > 0 && letters > mostLetters) return { text: arrayOf(texts), rest: record };
    texts.push(text);
  }
  return { text: arrayOf(texts), rest: undefined };
}

const arrayOf = (texts: readonly string[]): string => `[${texts.join(",")}]`;

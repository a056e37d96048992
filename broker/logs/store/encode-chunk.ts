import { promisify } from "node:util";
import { constants, zstdCompress } from "node:zlib";
import type { Attributes, LogEntry } from "./log-record.ts";

/** The first line of a chunk; the other lines are records that refer to its entries by number, from 1. */
export type ChunkHead = {
  readonly v: 1;
  readonly at: number;
  /** Executions and steps. */
  readonly words: readonly string[];
  /** Attributes of resources and of records. */
  readonly sets: readonly Attributes[];
};

/** [µs after the head's, severity, body, seq, execution, step, resource, attributes, rare members]; 0 is none. */
export type ChunkLine = readonly [
  afterUs: number,
  severity: number,
  body: string,
  seq: number,
  execution: number,
  step: number,
  resource: number,
  attributes: number,
  rare?: RareMembers,
];

export type RareMembers = Pick<
  LogEntry,
  "observedAtUs" | "severityText" | "traceId" | "spanId" | "cutFrom" | "late"
>;

/** Records of consecutive positions, ready to be stored. */
export type EncodedChunk = {
  readonly records: number;
  /** Before compression. */
  readonly bytes: number;
  readonly firstAtUs: number;
  readonly lastAtUs: number;
  readonly minSeverity: number;
  readonly maxSeverity: number;
  readonly steps: readonly string[];
  readonly body: Buffer;
};

const compress = promisify(zstdCompress);
/** With the size known, zstd makes smaller tables, which takes half the time. */
const quickly = (pledgedSrcSize: number) => ({
  params: { [constants.ZSTD_c_compressionLevel]: 1 },
  chunkSize: 128 * 1024,
  pledgedSrcSize,
});

/** Lines of JSON, compressed: what repeats from record to record is written once. */
export async function encodeChunk(entries: readonly LogEntry[]): Promise<EncodedChunk> {
  const words = new Map<string, number>();
  const sets = makeSets();
  const baseUs = entries[0]?.atUs ?? 0;
  const range = { firstAtUs: baseUs, lastAtUs: baseUs, minSeverity: 24, maxSeverity: 0 };
  const steps = new Set<string>();
  let lines = "";
  for (const entry of entries) {
    widen(range, entry);
    if (entry.step !== undefined) steps.add(entry.step);
    lines += lineOf(entry, {
      afterUs: entry.atUs - baseUs,
      execution: numberOf(words, entry.executionId),
      step: numberOf(words, entry.step),
      resource: sets.numberOf(entry.resource),
      attributes: sets.numberOf(entry.attributes),
    });
  }
  const head = `{"v":1,"at":${baseUs},"words":${JSON.stringify([...words.keys()])},"sets":[${sets.texts().join(",")}]}`;
  const text = Buffer.from(head + lines);
  const body = await compress(text, quickly(text.length));
  return { records: entries.length, bytes: text.length, ...range, steps: [...steps], body };
}

type Range = Pick<EncodedChunk, "firstAtUs" | "lastAtUs" | "minSeverity" | "maxSeverity">;

function widen(
  range: { -readonly [Name in keyof Range]: Range[Name] },
  { atUs, severity }: LogEntry,
): void {
  if (atUs < range.firstAtUs) range.firstAtUs = atUs;
  if (atUs > range.lastAtUs) range.lastAtUs = atUs;
  if (severity < range.minSeverity) range.minSeverity = severity;
  if (severity > range.maxSeverity) range.maxSeverity = severity;
}

type Numbers = {
  readonly afterUs: number;
  readonly execution: number;
  readonly step: number;
  readonly resource: number;
  readonly attributes: number;
};

function lineOf(entry: LogEntry, numbers: Numbers): string {
  const { afterUs, execution, step, resource, attributes } = numbers;
  const body = JSON.stringify(entry.body);
  const rare = rareOf(entry);
  return `\n[${afterUs},${entry.severity},${body},${entry.seq ?? 0},${execution},${step},${resource},${attributes}${rare}]`;
}

function rareOf({ observedAtUs, severityText, traceId, spanId, cutFrom, late }: LogEntry): string {
  if (
    observedAtUs === undefined &&
    severityText === undefined &&
    traceId === undefined &&
    cutFrom === undefined &&
    late === undefined
  ) {
    return "";
  }
  const rare: RareMembers = { observedAtUs, severityText, traceId, spanId, cutFrom, late };
  return `,${JSON.stringify(rare)}`;
}

function numberOf(words: Map<string, number>, word: string | undefined): number {
  if (word === undefined) return 0;
  const known = words.get(word);
  if (known !== undefined) return known;
  words.set(word, words.size + 1);
  return words.size;
}

type Sets = {
  readonly numberOf: (attributes: Attributes) => number;
  readonly texts: () => string[];
};

/** Numbers sets of attributes by their contents; the same object is not compared twice. */
function makeSets(): Sets {
  const byText = new Map<string, number>();
  const seen = new Map<Attributes, number>();
  return {
    numberOf(attributes) {
      let number = seen.get(attributes);
      if (number !== undefined) return number;
      const text = JSON.stringify(attributes);
      number = text === "{}" ? 0 : numberOf(byText, text);
      seen.set(attributes, number);
      return number;
    },
    texts: () => [...byText.keys()],
  };
}

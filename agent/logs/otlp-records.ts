/** The attributes of a line. */
export type LineFacts = {
  readonly seq: number;
  readonly atMs: number;
  /** OpenTelemetry's severity number. */
  readonly severity: number;
  /** Attributes that many lines share, encoded. */
  readonly shared: Buffer;
  /** The line goes on in the next record. */
  readonly isContinued: boolean;
};

/** Collects log records in OTLP's protobuf, ready to be sent. */
export type RecordBuffer = {
  readonly add: (text: Buffer, facts: LineFacts) => void;
  readonly byteLength: () => number;
  /** Takes the collected records and starts again; they are valid until the next but one is taken. */
  readonly take: () => Buffer;
};

const startBytes = 96 * 1024;
const seqName = Buffer.from("\u0032_\u000a\u0007svc.seq\u0012_\u0018", "latin1");
const continued = encodeAttribute("svc.continued", true);
/** The largest overhead of a record: tags, lengths and numbers. */
const mostFrameBytes = 64;

/** Makes a buffer that grows as needed. It is a pair: one is filled while the other is written. */
export function makeRecordBuffer(): RecordBuffer {
  let bytes = Buffer.allocUnsafeSlow(startBytes);
  let spare = Buffer.alloc(0);
  let at = 0;

  function add(text: Buffer, { seq, atMs, severity, shared, isContinued }: LineFacts): void {
    const extra = isContinued ? continued : undefined;
    const need = text.length + shared.length + (extra?.length ?? 0) + mostFrameBytes;
    if (at + need > bytes.length) bytes = grown(bytes, at, need);
    const seqBytes = varintLength(seq);
    const valueLength = 1 + varintLength(text.length) + text.length;
    const length =
      11 +
      (1 + varintLength(valueLength) + valueLength) +
      (seqName.length + seqBytes) +
      shared.length +
      (extra?.length ?? 0);
    bytes[at++] = 0x12;
    at = writeVarint(bytes, at, length);
    bytes[at++] = 0x09;
    at = writeNanos(bytes, at, atMs);
    bytes[at++] = 0x10;
    bytes[at++] = severity;
    bytes[at++] = 0x2a;
    at = writeVarint(bytes, at, valueLength);
    bytes[at++] = 0x0a;
    at = writeVarint(bytes, at, text.length);
    at += text.copy(bytes, at);
    const seqAt = at;
    at += seqName.copy(bytes, at);
    bytes[seqAt + 1] = seqName.length - 2 + seqBytes;
    bytes[seqAt + 12] = 1 + seqBytes;
    at = writeVarint(bytes, at, seq);
    at += shared.copy(bytes, at);
    if (extra !== undefined) at += extra.copy(bytes, at);
  }

  function take(): Buffer {
    const taken = bytes.subarray(0, at);
    [bytes, spare] = [spare, bytes];
    at = 0;
    return taken;
  }

  return { add, byteLength: () => at, take };
}

/** A record's attribute, with its tag and length. */
export function encodeAttribute(name: string, value: string | boolean): Buffer {
  return field(6, keyValue(name, value));
}

/** The head of an ExportLogsServiceRequest; the records, of the given size, follow directly. */
export function requestHead(
  resource: Readonly<Record<string, string | boolean | number>>,
  recordBytes: number,
): Buffer {
  const attributes = Object.entries(resource).map(([name, value]) =>
    field(1, keyValue(name, value)),
  );
  const scope = field(1, field(1, Buffer.from("svc-agent")));
  const scopeLogs = Buffer.concat([head(2, scope.length + recordBytes), scope]);
  const resourceLogs = Buffer.concat([field(1, Buffer.concat(attributes)), scopeLogs]);
  return Buffer.concat([head(1, resourceLogs.length + recordBytes), resourceLogs]);
}

/** Moves the times of consecutive records back by the given amount, in place. */
export function moveTimes(records: Buffer, earlierMs: number): void {
  const earlierNs = BigInt(earlierMs) * 1_000_000n;
  let at = 0;
  for (const length of recordLengths(records)) {
    const end = at + length;
    for (at += 1; (records[at] ?? 0) >= 0x80;) at += 1; // the record's own length
    const timeAt = at + 2; // its first field
    const time = records.readBigUInt64LE(timeAt) - earlierNs;
    records.writeBigUInt64LE(time > 0n ? time : 0n, timeAt);
    at = end;
  }
}

/** The lengths of consecutive records, including tags. */
export function recordLengths(records: Buffer): number[] {
  const lengths: number[] = [];
  for (let at = 0; at < records.length;) {
    let length = 0;
    let shift = 0;
    let next = at + 1;
    let byte = 0x80;
    while (byte >= 0x80) {
      byte = records[next++] ?? 0;
      length |= (byte & 0x7f) << shift;
      shift += 7;
    }
    lengths.push(next + length - at);
    at = next + length;
  }
  return lengths;
}

function keyValue(name: string, value: string | boolean | number): Buffer {
  return Buffer.concat([field(1, Buffer.from(name)), field(2, anyValue(value))]);
}

function anyValue(value: string | boolean | number): Buffer {
  if (typeof value === "string") return field(1, Buffer.from(value));
  if (typeof value === "boolean") return Buffer.from([0x10, value ? 1 : 0]);
  const bytes = Buffer.alloc(9, 0x21);
  bytes.writeDoubleLE(value, 1);
  return bytes;
}

function field(number: number, content: Buffer): Buffer {
  return Buffer.concat([head(number, content.length), content]);
}

function head(number: number, length: number): Buffer {
  const bytes = Buffer.alloc(1 + varintLength(length));
  bytes[0] = (number << 3) | 2;
  writeVarint(bytes, 1, length);
  return bytes;
}

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) length++;
  return length;
}

function writeVarint(bytes: Buffer, from: number, value: number): number {
  let at = from;
  let rest = value;
  while (rest >= 128) {
    bytes[at++] = (rest % 128) | 0x80;
    rest = Math.floor(rest / 128);
  }
  bytes[at++] = rest;
  return at;
}

/** Writes milliseconds as nanoseconds: 64 bits, little endian. */
function writeNanos(bytes: Buffer, at: number, atMs: number): number {
  const micros = Math.max(0, Math.round(atMs * 1000));
  // In two halves, because the product does not fit into the 53 bits of a number.
  const low = (micros % 0x1_0000_0000) * 1000;
  const high = Math.floor(micros / 0x1_0000_0000) * 1000 + Math.floor(low / 0x1_0000_0000);
  bytes.writeUInt32LE(low % 0x1_0000_0000, at);
  return bytes.writeUInt32LE(high, at + 4);
}

function grown(bytes: Buffer, used: number, need: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(Math.max(startBytes, bytes.length * 2, used + need));
  bytes.copy(larger, 0, 0, used);
  return larger;
}

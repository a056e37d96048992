type Value = string | number | boolean | null;

/** Reads a MessagePack map of strings to plain values, each key once. Throws RangeError for anything else. */
export function readMsgpackMap(bytes: Buffer): Record<string, Value> {
  const read = reader(bytes);
  const entries = new Map<string, Value>();
  for (let left = read.mapLength(); left > 0; left--) {
    const key = read.value();
    if (typeof key !== "string" || entries.has(key))
      throw new RangeError("a key is not a string, or is repeated");
    entries.set(key, read.value());
  }
  return Object.fromEntries(entries);
}

function reader(bytes: Buffer) {
  let at = 0;
  const uint = (size: number): number => {
    at += size;
    return bytes.readUIntBE(at - size, size);
  };
  const textOf = (length: number): string => {
    at += length;
    if (at > bytes.length) throw new RangeError("it is cut off");
    return bytes.toString("utf8", at - length, at);
  };
  const skipped = (size: number): number => {
    at += size;
    return Number.NaN; // a number that no caller needs
  };
  const value = (): Value => {
    const head = uint(1);
    if (head < 0x80) return head;
    if (head >= 0xe0) return head - 0x1_00;
    if (head >= 0xa0 && head < 0xc0) return textOf(head - 0xa0);
    const read = marked[head];
    if (read === undefined) throw new RangeError(`a value of kind ${head}`);
    return read();
  };
  const marked: Readonly<Record<number, () => Value>> = {
    0xc0: () => null,
    0xc2: () => false,
    0xc3: () => true,
    0xca: () => skipped(4),
    0xcb: () => skipped(8),
    0xcc: () => uint(1),
    0xcd: () => uint(2),
    0xce: () => uint(4),
    0xcf: () => skipped(8),
    0xd0: () => skipped(1),
    0xd1: () => skipped(2),
    0xd2: () => skipped(4),
    0xd3: () => skipped(8),
    0xd9: () => textOf(uint(1)),
    0xda: () => textOf(uint(2)),
    0xdb: () => textOf(uint(4)),
  };
  const mapLength = (): number => {
    const head = uint(1);
    if (head >= 0x80 && head < 0x90) return head - 0x80;
    if (head === 0xde) return uint(2);
    throw new RangeError("it is not a map");
  };
  return { mapLength, value };
}

/** A length-delimited field of a protobuf message: a string, a message or an entry of a map. */
export type ProtobufField = { readonly number: number; readonly bytes: Buffer };

/** All length-delimited fields of a message, in order; others are skipped. Throws RangeError for invalid bytes. */
export function protobufFields(message: Buffer): ProtobufField[] {
  const found: ProtobufField[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = message.readUInt8(at);
      at += 1;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  };
  const skip = (kind: number): void => {
    if (kind === 0) varint();
    else if (kind === 1) at += 8;
    else if (kind === 5) at += 4;
    else throw new RangeError(`a field of kind ${kind}`);
  };
  while (at < message.length) {
    const tag = varint();
    if (tag % 8 !== 2) {
      skip(tag % 8);
      continue;
    }
    const length = varint();
    if (at + length > message.length) throw new RangeError("a field that was cut off");
    found.push({ number: Math.floor(tag / 8), bytes: message.subarray(at, at + length) });
    at += length;
  }
  return found;
}

type Part = Buffer;

/** A field of bytes, text or a message: its parts one after the other. */
export function bytesField(number: number, ...parts: (Part | string)[]): Part {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  return Buffer.concat([varint(number * 8 + 2), varint(body.length), body]);
}

/** A field whose number is written in as many bytes as it needs. */
export function varintField(number: number, value: number | bigint): Part {
  return Buffer.concat([varint(number * 8), varint(value)]);
}

/** A field of eight bytes: an instant in nanoseconds, or a double. */
export function eightField(number: number, value: bigint | { readonly double: number }): Part {
  const body = Buffer.alloc(8);
  if (typeof value === "bigint") body.writeBigUInt64LE(value);
  else body.writeDoubleLE(value.double);
  return Buffer.concat([varint(number * 8 + 1), body]);
}

/** An attribute with a text. */
export function textAttribute(number: number, key: string, value: string): Part {
  return bytesField(number, bytesField(1, key), bytesField(2, bytesField(1, value)));
}

function varint(value: number | bigint): Part {
  const bytes: number[] = [];
  let rest = BigInt(value);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}

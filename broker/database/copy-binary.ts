/** What COPY's binary format begins with. */
export const copyHead: Buffer = Buffer.concat([
  Buffer.from("PGCOPY\n\u00ff\r\n\0", "latin1"),
  Buffer.alloc(8),
]);

/** What it ends with. */
export const copyEnd: Buffer = Buffer.from([0xff, 0xff]);

/** A row of it: texts, whole numbers of four bytes, and bytes, which are not copied. */
export function* copyRow(fields: readonly (string | number | Buffer)[]): Generator<Buffer> {
  let before: Buffer = Buffer.alloc(2);
  before.writeInt16BE(fields.length);
  for (const field of fields) {
    const bytes = typeof field === "object" ? field : fieldBytes(field);
    const length = Buffer.alloc(4);
    length.writeInt32BE(bytes.length);
    before = Buffer.concat([before, length]);
    if (typeof field === "object") {
      yield before;
      yield bytes;
      before = Buffer.alloc(0);
    } else {
      before = Buffer.concat([before, bytes]);
    }
  }
  if (before.length > 0) yield before;
}

function fieldBytes(field: string | number): Buffer {
  if (typeof field === "string") return Buffer.from(field);
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(field);
  return bytes;
}

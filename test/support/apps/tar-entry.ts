type Entry = {
  readonly type?: string;
  readonly target?: string;
  readonly size?: number;
  readonly mode?: number;
};

/** One entry of a tar archive, made by hand: any name, any kind. */
export function tarEntry(name: string | Buffer, text: string | Buffer = "", entry: Entry = {}) {
  const { type = "0", target = "", mode = 0o644 } = entry;
  const body = Buffer.from(text);
  const head = Buffer.alloc(512);
  Buffer.from(name).copy(head, 0, 0, 100);
  head.write(`${mode.toString(8).padStart(7, "0")}\0`, 100);
  head.write(`${(entry.size ?? body.length).toString(8).padStart(11, "0")}\0`, 124);
  head.write("        ", 148);
  head.write(type, 156);
  head.write(target, 157);
  head.write("ustar\u000000", 257);
  const sum = head.reduce((all, byte) => all + byte, 0);
  head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return Buffer.concat([head, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
}

/** The end of a tar archive. */
export const tarEnd = Buffer.alloc(1024);

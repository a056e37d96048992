/** An entry of an archive that a test makes; a file unless told. */
export type TarEntry = {
  readonly name: string;
  readonly text?: string;
  /** The letter of its kind: "0" a file, "1" a hard link, "2" a link, "5" a folder, "3" a device … */
  readonly type?: string;
  readonly target?: string;
  readonly mode?: number;
  /** What the header says of its size, where that is a lie. */
  readonly size?: number;
};

/** A tar archive of these very entries, however wrong they are. */
export function tarArchive(entries: readonly TarEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(blocksOf), Buffer.alloc(1024)]);
}

function blocksOf({ name, text = "", type = "0", target = "", ...rest }: TarEntry): Buffer[] {
  const body = Buffer.from(text);
  const header = Buffer.alloc(512);
  header.write(name, 0, 100);
  header.write(octal(rest.mode ?? 0o644, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(rest.size ?? body.length, 11), 124);
  header.write(octal(0, 11), 136);
  header.write(type, 156);
  header.write(target, 157, 100);
  header.write("ustar\u000000", 257);
  header.write(" ".repeat(8), 148);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148);
  return [header, body, Buffer.alloc((512 - (body.length % 512)) % 512)];
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, "0");

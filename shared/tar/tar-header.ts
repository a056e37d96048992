const blockBytes = 512;

export type TarHeader = {
  readonly name: string;
  readonly kind: "file" | "link";
  readonly size: number;
  readonly isExecutable: boolean;
  readonly target: string;
};

/**
 * The header of an entry in a tar archive, without an owner and a time; long names and targets go before it, in the form
 * of POSIX (pax).
 */
export function tarHeader({ name, kind, size, isExecutable, target }: TarHeader): Buffer {
  const extra = paxOf({ path: name, linkpath: target });
  const mode = kind === "link" ? 0o777 : isExecutable ? 0o755 : 0o644;
  const type = kind === "link" ? "2" : "0";
  const own = block({ name, mode, size, type, target });
  if (extra.length === 0) return own;
  const told = { name: "pax", mode: 0o644, size: extra.length, type: "x", target: "" };
  return Buffer.concat([block(told), extra, paddingOf(extra.length), own]);
}

/** How much an entry takes in an archive, with its header, what goes before it, and its padding. */
export function tarEntryBytes({ name, size, target }: TarHeader): number {
  const extra = paxOf({ path: name, linkpath: target }).length;
  return blockBytes + padded(size) + (extra === 0 ? 0 : blockBytes + padded(extra));
}

const padded = (size: number): number => Math.ceil(size / blockBytes) * blockBytes;

/** The zeros between the end of a body and the next header. */
export function paddingOf(size: number): Buffer {
  return Buffer.alloc((blockBytes - (size % blockBytes)) % blockBytes);
}

/** The end of an archive. */
export const tarEnd = Buffer.alloc(2 * blockBytes);

/** What fits into the header is not repeated. */
const mostShort = 100;

function paxOf(long: Readonly<Record<string, string>>): Buffer {
  const records = Object.entries(long)
    .filter(([, value]) => Buffer.byteLength(value) > mostShort)
    .map(([key, value]) => {
      const rest = ` ${key}=${value}\n`;
      const bytes = Buffer.byteLength(rest);
      // The length counts its own digits.
      let length = bytes + String(bytes).length;
      if (String(length).length > String(bytes).length) length = bytes + String(length).length;
      return `${length}${rest}`;
    });
  return Buffer.from(records.join(""));
}

type Block = {
  readonly name: string;
  readonly mode: number;
  readonly size: number;
  readonly type: string;
  readonly target: string;
};

function block({ name, mode, size, type, target }: Block): Buffer {
  const header = Buffer.alloc(blockBytes);
  Buffer.from(name).copy(header, 0, 0, mostShort);
  header.write(octal(mode, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(size, 11), 124);
  header.write(octal(0, 11), 136);
  header.write(" ".repeat(8), 148);
  header.write(type, 156);
  Buffer.from(target).copy(header, 157, 0, mostShort);
  header.write("ustar\u000000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148);
  return header;
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, "0");

/** A thing in a tar archive; a link has no bytes. */
export type TarEntry = {
  /** From the archive's root, with slashes. */
  readonly name: string;
  readonly bytes: Buffer;
  readonly isExecutable: boolean;
  /** Where a link leads to. */
  readonly link?: string;
};

const blockBytes = 512;

/** The entry's blocks, as every tar reads them; the same entry is always the same bytes. */
export function tarEntry(entry: TarEntry): Buffer {
  const extra = [
    ...extended("path", entry.name),
    ...(entry.link === undefined ? [] : extended("linkpath", entry.link)),
  ];
  const plain = { ...entry, name: cut(entry.name), link: entry.link && cut(entry.link) };
  const own = [header(plain, entry.link === undefined ? "0" : "2"), padded(entry.bytes)];
  if (extra.length === 0) return Buffer.concat(own);
  const records = Buffer.from(extra.join(""));
  const pax = { name: "pax", bytes: records, isExecutable: false, link: undefined };
  return Buffer.concat([header(pax, "x"), padded(records), ...own]);
}

/** What ends an archive. */
export const tarEnd = Buffer.alloc(2 * blockBytes);

const mostName = 100;
const isPlain = (text: string): boolean => /^[ -~]*$/.test(text) && text.length <= mostName;
const cut = (text: string): string =>
  isPlain(text) ? text : text.replaceAll(/[^ -~]/g, "_").slice(0, mostName);

/** A record counts its own length, too. */
function extended(name: string, value: string): string[] {
  if (isPlain(value)) return [];
  const rest = ` ${name}=${value}\n`;
  let length = Buffer.byteLength(rest);
  while (String(length).length + Buffer.byteLength(rest) !== length) {
    length = String(length).length + Buffer.byteLength(rest);
  }
  return [`${length}${rest}`];
}

type Header = Omit<TarEntry, "link"> & { readonly link: string | undefined };

function header({ name, bytes, isExecutable, link }: Header, type: "0" | "2" | "x"): Buffer {
  const block = Buffer.alloc(blockBytes);
  block.write(name, 0);
  block.write(octal(isExecutable ? 0o755 : 0o644, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(bytes.length, 12), 124);
  block.write(octal(0, 12), 136);
  block.write(" ".repeat(8), 148);
  block.write(type, 156);
  block.write(link ?? "", 157);
  block.write("ustar\u000000", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

const octal = (value: number, length: number): string =>
  `${value.toString(8).padStart(length - 1, "0")}\0`;

function padded(bytes: Buffer): Buffer {
  const rest = bytes.length % blockBytes;
  return rest === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(blockBytes - rest)]);
}

import { crc32, deflateRawSync } from "node:zlib";

/** An entry of an archive that a test makes. */
export type ZipEntry = {
  readonly name: string;
  readonly text?: string;
  /** As Unix has it, its kind among it: 0o120777 is a link. */
  readonly mode?: number;
  readonly isDeflated?: boolean;
};

/** A zip archive of these very entries, however wrong they are. */
export function zipArchive(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const entry of entries) {
    const { local, central } = recordsOf(entry, at);
    parts.push(local);
    directory.push(central);
    at += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, central, end]);
}

function recordsOf(
  { name, text = "", mode = 0o100644, isDeflated = false }: ZipEntry,
  at: number,
): { readonly local: Buffer; readonly central: Buffer } {
  const [named, plain] = [Buffer.from(name), Buffer.from(text)];
  const body = isDeflated ? deflateRawSync(plain) : plain;
  const shared = Buffer.alloc(26);
  shared.writeUInt16LE(20, 0);
  shared.writeUInt16LE(isDeflated ? 8 : 0, 4);
  shared.writeUInt32LE(crc32(plain), 10);
  shared.writeUInt32LE(body.length, 14);
  shared.writeUInt32LE(plain.length, 18);
  shared.writeUInt16LE(named.length, 22);
  const [localMark, centralMark] = [Buffer.from("PK\u0003\u0004"), Buffer.from("PK\u0001\u0002")];
  const tail = Buffer.alloc(14);
  tail.writeUInt32LE((mode << 16) >>> 0, 6);
  tail.writeUInt32LE(at, 10);
  const madeBy = Buffer.from([20, 3]); // Unix
  return {
    local: Buffer.concat([localMark, shared, named, body]),
    central: Buffer.concat([centralMark, madeBy, shared, tail, named]),
  };
}

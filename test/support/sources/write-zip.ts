import { mkdir, open, readFile } from "node:fs/promises";
import path from "node:path";
import { crc32 } from "node:zlib";

/** Writes a zip of programs, each under its name in the zip, packed but not pressed. */
export async function writeZip(
  file: string,
  programs: Readonly<Record<string, string>>,
): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await using zip = await open(file, "w");
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, from] of Object.entries(programs)) {
    const content = await readFile(from);
    const about = aboutFile(name, content);
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), about, Buffer.from(name)]);
    await zip.write(local);
    await zip.write(content);
    directory.push(entryOf(name, about, at));
    at += local.length + content.length;
  }
  const sizeBytes = directory.reduce((sum, entry) => sum + entry.length, 0);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006");
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(sizeBytes, 12);
  end.writeUInt32LE(at, 16);
  await zip.write(Buffer.concat([...directory, end]));
}

/** What is said of a file twice: before its content, and in the directory at the end. */
function aboutFile(name: string, content: Buffer): Buffer {
  const about = Buffer.alloc(26);
  about.writeUInt16LE(20, 0);
  // The first day that a zip can say.
  about.writeUInt16LE(0x21, 8);
  about.writeUInt32LE(crc32(content), 10);
  about.writeUInt32LE(content.length, 14);
  about.writeUInt32LE(content.length, 18);
  about.writeUInt16LE(Buffer.byteLength(name), 22);
  return about;
}

function entryOf(name: string, about: Buffer, at: number): Buffer {
  const madeBy = Buffer.from([20, 3]);
  const rest = Buffer.alloc(14);
  // A program that its owner may run, as Unix says it.
  rest.writeUInt32LE((0o100755 << 16) >>> 0, 6);
  rest.writeUInt32LE(at, 10);
  return Buffer.concat([Buffer.from("PK\u0001\u0002"), madeBy, about, rest, Buffer.from(name)]);
}

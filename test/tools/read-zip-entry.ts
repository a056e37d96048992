import { inflateRawSync } from "node:zlib";

/** One file of a zip, by its name there. No zips of over 4 GB. */
export function readZipEntry(zip: Buffer, name: string): Buffer {
  const end = zip.lastIndexOf("PK\u0005\u0006");
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const nameEnd = at + 46 + zip.readUInt16LE(at + 28);
    if (zip.toString("utf8", at + 46, nameEnd) === name) return contentOf(zip, at);
    at = nameEnd + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  throw new Error(`there is no ${name} in its zip.`);
}

/** Of the entry that the directory at the zip's end describes here. */
function contentOf(zip: Buffer, described: number): Buffer {
  const isPlain = zip.readUInt16LE(described + 10) === 0;
  const sizeBytes = zip.readUInt32LE(described + 20);
  const at = zip.readUInt32LE(described + 42);
  const start = at + 30 + zip.readUInt16LE(at + 26) + zip.readUInt16LE(at + 28);
  const content = zip.subarray(start, start + sizeBytes);
  return isPlain ? content : inflateRawSync(content);
}

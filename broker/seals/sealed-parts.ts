import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";
import { Problem } from "../../shared/problem.ts";
import { zlibStep } from "../../shared/zlib-step.ts";
import type { Sealed, SealedThing, Seals } from "./seals.ts";

/** What opens a value that is stored in parts: its own key, and the digests of the whole. */
export type PartsKey = { readonly key: Buffer; readonly sha256: Buffer; readonly md5: Buffer };

/** The size of a part before compression and sealing: it bounds the memory of readers and writers. */
export const partBytes = 1024 * 1024;

const keyBytes = 32;
const sha256Bytes = 32;
const md5Bytes = 16;
const tagBytes = 16;
const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const quickly = (pledgedSrcSize: number) => ({
  params: { [constants.ZSTD_c_compressionLevel]: 1 },
  chunkSize: zlibStep(pledgedSrcSize),
  pledgedSrcSize,
});
/** States compress to a tenth or less. */
const mostRatio = 16;

/** A key for one value only, so a part's number is enough to tell the parts apart. */
export const newPartsKey = (): Buffer => randomBytes(keyBytes);

/** Seals a value's own key, so that a rotation of the broker's keys does not touch the parts. */
export function sealPartsKey(seals: Seals, thing: SealedThing, parts: PartsKey): Sealed {
  return seals.seal(thing, Buffer.concat([parts.key, parts.sha256, parts.md5]));
}

/** A value's own key; refuses what this broker's keys do not open. */
export function openPartsKey(seals: Seals, thing: SealedThing, sealed: Sealed): PartsKey {
  const plain = seals.open(thing, sealed);
  const [afterKey, afterSha256] = [keyBytes, keyBytes + sha256Bytes];
  return {
    key: plain.subarray(0, afterKey),
    sha256: plain.subarray(afterKey, afterSha256),
    md5: plain.subarray(afterSha256, afterSha256 + md5Bytes),
  };
}

/** A part as it is stored: compressed, then sealed. */
export async function sealPart(key: Buffer, n: number, plain: Buffer): Promise<Buffer> {
  const cipher = createCipheriv("aes-256-gcm", key, nonceOf(n));
  const body = cipher.update(await compress(plain, quickly(plain.length)));
  cipher.final();
  return Buffer.concat([body, cipher.getAuthTag()]);
}

/** Opens a part; refuses one that was changed or has another part's number. */
export async function openPart(key: Buffer, n: number, sealed: Buffer): Promise<Buffer> {
  const decipher = createDecipheriv("aes-256-gcm", key, nonceOf(n));
  decipher.setAuthTag(sealed.subarray(-tagBytes));
  const compressed = decipher.update(sealed.subarray(0, -tagBytes));
  try {
    decipher.final();
  } catch {
    throw new Problem({
      status: 503,
      code: "seal_broken",
      detail: `Part ${n} of what is sealed here was changed.`,
    });
  }
  const chunkSize = zlibStep(compressed.length * mostRatio);
  return decompress(compressed, { maxOutputLength: partBytes, chunkSize });
}

function nonceOf(n: number): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(n, 8);
  return nonce;
}

import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { RegistryError } from "./registry-error.ts";

/** `sha256:…` or `sha512:…` in its parts, which are safe as names of files. */
export type Digest = {
  readonly text: string;
  readonly algorithm: "sha256" | "sha512";
  readonly hex: string;
};

const pattern = /^(?:(sha256):([0-9a-f]{64})|(sha512):([0-9a-f]{128}))$/;

/** The digest that this text is; undefined for any other text. */
export function digestIn(text: string): Digest | undefined {
  const [, short, shortHex = "", long, longHex = ""] = pattern.exec(text) ?? [];
  if (short !== undefined) return { text, algorithm: "sha256", hex: shortHex };
  return long === undefined ? undefined : { text, algorithm: "sha512", hex: longHex };
}

/** The same; refuses any other text. */
export function requireDigest(text: string | null | undefined): Digest {
  const digest = digestIn(text ?? "");
  if (digest !== undefined) return digest;
  throw new RegistryError(
    "DIGEST_INVALID",
    "A digest is sha256: with 64, or sha512: with 128 hexadecimal digits.",
  );
}

/** The digest of bytes. */
export function digestOf(bytes: Uint8Array, algorithm: Digest["algorithm"] = "sha256"): Digest {
  return digestOfHash(createHash(algorithm).update(bytes), algorithm);
}

/** The digest of a file, which is never whole in memory. */
export async function digestOfFile(file: string, algorithm: Digest["algorithm"]): Promise<Digest> {
  const hash = createHash(algorithm);
  for await (const piece of createReadStream(file, { highWaterMark: 2 ** 20 }))
    hash.update(piece as Buffer);
  return digestOfHash(hash, algorithm);
}

/** The digest of all that was hashed. */
export function digestOfHash(hash: Hash, algorithm: Digest["algorithm"]): Digest {
  const hex = hash.digest("hex");
  return { text: `${algorithm}:${hex}`, algorithm, hex };
}

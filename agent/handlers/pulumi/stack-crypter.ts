import { createCipheriv, createHash, pbkdf2, randomBytes } from "node:crypto";
import { promisify } from "node:util";

const derive = promisify(pbkdf2);
const rounds = 1_000_000;
const keyBytes = 32;
const saltBytes = 8;
const nonceBytes = 12;

/** Encrypts as Pulumi does for a stack whose secrets have a passphrase. */
export type StackCrypter = {
  /** The stack's `encryptionsalt`. */
  readonly salt: string;
  /** The value of a `secure:` member of the stack's config. */
  readonly encrypt: (text: string) => string;
};

/**
 * Pulumi's own format. The salt of a passphrase is always the same, so that what one job encrypted another one reads; nobody can
 * guess the passphrase, which is random, so its salt need not be.
 */
export async function makeStackCrypter(passphrase: string): Promise<StackCrypter> {
  const digest = createHash("sha256").update(`svc pulumi salt\n${passphrase}`).digest();
  const salt = digest.subarray(0, saltBytes);
  const key = await derive(passphrase, salt, rounds, keyBytes, "sha256");
  const sealed = (text: string, nonce: Buffer): string => {
    const cipher = createCipheriv("aes-256-gcm", key, nonce);
    const body = Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]);
    return `v1:${nonce.toString("base64")}:${body.toString("base64")}`;
  };
  // Pulumi recognizes the passphrase by this word. The nonce is used for nothing else.
  const word = sealed("pulumi", digest.subarray(saltBytes, saltBytes + nonceBytes));
  return {
    salt: `v1:${salt.toString("base64")}:${word}`,
    encrypt: (text) => sealed(text, randomBytes(nonceBytes)),
  };
}

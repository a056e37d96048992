import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";

/** What to seal with next: a key derived with a salt, and a number that this key has never used. */
export type NextSeal = { readonly salt: Buffer; readonly count: number; readonly key: KeyObject };

/** The keys derived from one key of the broker. */
export type SaltedKeys = {
  readonly next: () => NextSeal;
  readonly ofSalt: (salt: Buffer) => KeyObject;
  readonly mac: (purpose: string, bytes: Buffer) => Buffer;
  readonly isOf: (key: Buffer) => boolean;
};

export const saltBytes = 16;

/** How often one salt is used: a number of four bytes never runs out. */
const sealsPerSalt = 2 ** 24;
/** Each start of a broker makes one or more salts; readers meet those of many brokers. */
const keptKeys = 4096;

/**
 * A salt belongs to this process and is replaced long before its numbers run out, so that no key ever seals twice with
 * the same number, however many brokers share the key. A key object is made once for each salt, not for each value.
 */
export function saltedKeys(bytes: Buffer): SaltedKeys {
  const key = createSecretKey(bytes);
  const made = new LRUCache<string, KeyObject>({ max: keptKeys });
  const mac = (purpose: string, ...parts: readonly Buffer[]): Buffer => {
    const hmac = createHmac("sha256", key).update(`${purpose}\0`);
    for (const part of parts) hmac.update(part);
    return hmac.digest();
  };
  const ofSalt = (salt: Buffer): KeyObject => {
    const name = salt.toString("latin1");
    const known = made.get(name);
    if (known !== undefined) return known;
    const fresh = createSecretKey(mac("seal", salt));
    made.set(name, fresh);
    return fresh;
  };
  let current: { readonly salt: Buffer; readonly key: KeyObject } | undefined;
  let count = 0;
  return {
    ofSalt,
    mac,
    isOf: (other) => key.equals(createSecretKey(other)),
    next() {
      if (current === undefined || count === sealsPerSalt) {
        const salt = randomBytes(saltBytes);
        current = { salt, key: ofSalt(salt) };
        count = 0;
      }
      return { ...current, count: count++ };
    },
  };
}

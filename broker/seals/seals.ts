import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { Problem } from "../../shared/problem.ts";
import type { KeySource, SealKey } from "./key-source.ts";

/** What is sealed: a part of one object of one org. What was sealed as one thing does not open as another. */
export type SealedThing = { readonly orgId: string; readonly id: string; readonly part: string };

/** Sealed bytes, and the key that opens them; without a key's id they are plain. */
export type Sealed = { readonly keyId: string | null; readonly bytes: Buffer };

/** Seals and opens what must not be readable in the database. */
export type Seals = {
  /** The id of the newest key, which seals; null: nothing is sealed. */
  readonly newest: () => string | null;
  readonly seal: (thing: SealedThing, plain: Buffer) => Sealed;
  /** 503 `seal_key_missing` or `seal_broken` for what this broker's keys do not open. */
  readonly open: (thing: SealedThing, sealed: Sealed) => Buffer;
  /** Tells equal contents without telling what they are: of each key, "" where nothing is sealed. */
  readonly fingerprints: (digest: Buffer) => Readonly<Record<string, string>>;
  /** What each key is known by, so that two keys of one name are told apart. */
  readonly proofs: () => readonly { readonly id: string; readonly proof: Buffer }[];
  /** Reads the keys anew; those of a failed reading are not taken. */
  readonly refresh: () => Promise<void>;
};

const version = 1;
const saltBytes = 16;
const tagBytes = 16;
const headBytes = 1 + saltBytes;
/** Every thing is sealed by a key of its own, so that a nonce can never come twice. */
const nonce = Buffer.alloc(12);

/** Seals over the keys of a source, which is read before this resolves. */
export async function openSeals(source: KeySource): Promise<Seals> {
  let keys = await source.read();
  let byId = new Map(keys.map((key) => [key.id, key]));
  return {
    newest: () => keys[0]?.id ?? null,
    seal: (thing, plain) => {
      const [key] = keys;
      if (key === undefined) return { keyId: null, bytes: plain };
      return { keyId: key.id, bytes: sealWith(key, thing, plain) };
    },
    open: (thing, { keyId, bytes }) => {
      if (keyId === null) return bytes;
      const key = byId.get(keyId);
      if (key === undefined) throw keyMissing(keyId);
      return openWith(key, thing, bytes);
    },
    fingerprints: (digest) =>
      keys.length === 0
        ? { "": digest.toString("hex") }
        : Object.fromEntries(keys.map((key) => [key.id, mac(key, "same", digest).toString("hex")])),
    proofs: () => keys.map((key) => ({ id: key.id, proof: mac(key, "proof", Buffer.alloc(0)) })),
    refresh: async () => {
      keys = await source.read();
      byId = new Map(keys.map((key) => [key.id, key]));
    },
  };
}

/** version · salt · what AES-256-GCM made of it · tag */
function sealWith(key: SealKey, thing: SealedThing, plain: Buffer): Buffer {
  const about = aboutOf(thing);
  const salt = randomBytes(saltBytes);
  const cipher = createCipheriv("aes-256-gcm", keyOf(key, salt, about), nonce);
  cipher.setAAD(about);
  const body = cipher.update(plain);
  cipher.final();
  return Buffer.concat([Buffer.of(version), salt, body, cipher.getAuthTag()]);
}

function openWith(key: SealKey, thing: SealedThing, sealed: Buffer): Buffer {
  if (sealed.length < headBytes + tagBytes || sealed[0] !== version) throw broken(key.id);
  const about = aboutOf(thing);
  const salt = sealed.subarray(1, headBytes);
  const decipher = createDecipheriv("aes-256-gcm", keyOf(key, salt, about), nonce);
  decipher.setAAD(about).setAuthTag(sealed.subarray(-tagBytes));
  const plain = decipher.update(sealed.subarray(headBytes, -tagBytes));
  try {
    decipher.final();
  } catch {
    throw broken(key.id);
  }
  return plain;
}

const aboutOf = ({ orgId, id, part }: SealedThing): Buffer =>
  Buffer.from(`${orgId}\0${id}\0${part}`);

/** One HMAC and no more: this stands in the way of every job. */
function keyOf({ key }: SealKey, salt: Buffer, about: Buffer): Buffer {
  return createHmac("sha256", key).update("seal\0").update(salt).update(about).digest();
}

function mac({ key }: SealKey, purpose: string, bytes: Buffer): Buffer {
  return createHmac("sha256", key).update(`${purpose}\0`).update(bytes).digest();
}

const keyMissing = (keyId: string): Problem =>
  new Problem({
    status: 503,
    code: "seal_key_missing",
    detail: `This is sealed with the key ${keyId}, which this broker does not have; see SVC_SEAL_KEYS.`,
    headers: { "retry-after": "30" },
  });

const broken = (keyId: string): Problem =>
  new Problem({
    status: 503,
    code: "seal_broken",
    detail: `What is sealed here does not open with this broker's key ${keyId}: another key of that name sealed it, or it was changed.`,
    headers: { "retry-after": "30" },
  });

import { type CipherGCM, createCipheriv, createDecipheriv } from "node:crypto";
import { OperatorError } from "../../shared/operator-error.ts";
import { Problem } from "../../shared/problem.ts";
import type { KeySource } from "./key-source.ts";
import { saltBytes, type SaltedKeys, saltedKeys } from "./salted-keys.ts";

/** What is sealed: a part of one object of one org. What was sealed as one thing does not open as another. */
export type SealedThing = { readonly orgId: string; readonly id: string; readonly part: string };

/** Sealed bytes, and the key that opens them; without a key's id they are plain. */
export type Sealed = { readonly keyId: string | null; readonly bytes: Buffer };

/** Encrypts what must not be readable in the database, and decrypts it. */
export type Seals = {
  /** The id of the newest key, which seals; null: nothing is sealed. */
  readonly newest: () => string | null;
  /** Without a key the bytes stay plain; 503 `seal_key_missing` where that is refused. */
  readonly seal: (thing: SealedThing, plain: Buffer) => Sealed;
  /** Seals piece by piece, with the same result as `seal`; undefined without a key. */
  readonly sealing: (thing: SealedThing) => Sealing | undefined;
  /** Opens piece by piece; the output is authentic only after `end` has not thrown. */
  readonly opening: (thing: SealedThing, headAndTag: Sealed) => Opening;
  /** Opens any range. It cannot authenticate: use it only for bytes that were verified before. */
  readonly openingAt: (head: Sealed) => OpeningAt;
  /** 503 `seal_key_missing` or `seal_broken` for what this broker's keys do not open. */
  readonly open: (thing: SealedThing, sealed: Sealed) => Buffer;
  /**
   * A keyed digest for each key, to recognize equal contents without revealing them. Under "" is the plain digest, for what was
   * stored readable; it is never stored with what is sealed.
   */
  readonly fingerprints: (digest: Buffer) => Readonly<Record<string, string>>;
  /** The same of one of its keys, in hexadecimal. */
  readonly fingerprint: (digest: Buffer, keyId: string) => string;
  /** A proof of each key, so that two keys with the same id are told apart. */
  readonly proofs: () => readonly KeyProof[];
  /** Reads the keys again and uses them once `admit` resolves; until then the old ones. */
  readonly refresh: (admit: (keys: readonly KeyProof[]) => Promise<void>) => Promise<void>;
  /** Why the keys that were read last were not accepted; undefined when they were. */
  readonly refusal: () => string | undefined;
};

/** A value that is being sealed with this key. */
export type Sealing = {
  readonly keyId: string;
  /** The sealed bytes of the whole value. */
  readonly run: (pieces: Iterable<Uint8Array>) => Generator<Buffer>;
};

/** A value that is being opened. */
export type Opening = { readonly update: (piece: Buffer) => Buffer; readonly end: () => void };

/** Decrypts these bytes, which begin at this offset after the head, a multiple of 16. */
export type OpeningAt = (from: number, sealed: Buffer) => Buffer;

/** A key's id, and a proof that tells it from another key with the same id. */
export type KeyProof = { readonly id: string; readonly proof: Buffer };

type RingKey = SaltedKeys & { readonly id: string };

const version = 1;
const tagBytes = 16;
const countAt = 1 + saltBytes;
const headBytes = countAt + 4;
const nonceBytes = 12;
const blockBytes = 16;
/** The lengths of what precedes and follows the encrypted bytes. */
export const sealedOverhead = { head: headBytes, tag: tagBytes } as const;

/** Seals with the keys of a source, which is read before this resolves; the caller must register the keys before use. */
export async function openSeals(source: KeySource): Promise<Seals> {
  let keys: readonly RingKey[] = [];
  let byId = new Map<string, RingKey>();
  let refusal: string | undefined;
  const refreshOnce: Seals["refresh"] = async (admit) => {
    const read = await source.read();
    const ring = read.map(({ id, key }) => {
      const known = byId.get(id);
      return known?.isOf(key) === true ? known : { id, ...saltedKeys(key) };
    });
    refusal = await admit(proofsOf(ring)).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof OperatorError) return error.message;
        throw error;
      },
    );
    if (refusal !== undefined) throw new OperatorError(refusal);
    keys = ring;
    byId = new Map(keys.map((key) => [key.id, key]));
  };
  let last: Promise<void> = Promise.resolve();
  // One after the other, so that the keys that were read last win, however long earlier ones took to be registered.
  const refresh: Seals["refresh"] = (admit) =>
    (last = last.catch(() => {}).then(() => refreshOnce(admit)));
  await refresh(async () => {});
  const keyOf = (id: string | null): RingKey => {
    const key = byId.get(id ?? "");
    if (key === undefined) throw keyMissing(id ?? "");
    return key;
  };
  return {
    refresh,
    refusal: () => refusal,
    newest: () => keys[0]?.id ?? null,
    seal: (thing, plain) => {
      const [key] = keys;
      if (key === undefined && refusal !== undefined) throw notReadable(refusal);
      if (key === undefined) return { keyId: null, bytes: plain };
      return { keyId: key.id, bytes: sealWith(key, thing, plain) };
    },
    sealing: (thing) => {
      const [key] = keys;
      if (key === undefined && refusal !== undefined) throw notReadable(refusal);
      return key && { keyId: key.id, run: (pieces) => sealPieces(key, thing, pieces) };
    },
    opening: (thing, { keyId, bytes }) => openPieces(keyOf(keyId), thing, bytes),
    openingAt: ({ keyId, bytes: head }) => openStretches(keyOf(keyId), head),
    open: (thing, { keyId, bytes }) =>
      keyId === null ? bytes : openWith(keyOf(keyId), thing, bytes),
    fingerprints: (digest) =>
      Object.fromEntries([
        ["", digest.toString("hex")] as const,
        ...keys.map(({ id, mac }) => [id, mac("same", digest).toString("hex")] as const),
      ]),
    fingerprint: (digest, keyId) => keyOf(keyId).mac("same", digest).toString("hex"),
    proofs: () => proofsOf(keys),
  };
}

const proofsOf = (ring: readonly RingKey[]): readonly KeyProof[] =>
  ring.map(({ id, mac }) => ({ id, proof: mac("proof", Buffer.alloc(0)) }));

/** version · salt · counter · AES-256-GCM ciphertext · tag */
function sealWith(ring: RingKey, thing: SealedThing, plain: Buffer): Buffer {
  const { head, cipher } = begin(ring, thing);
  const body = cipher.update(plain);
  cipher.final();
  return Buffer.concat([head, body, cipher.getAuthTag()], head.length + body.length + tagBytes);
}

function* sealPieces(
  ring: RingKey,
  thing: SealedThing,
  pieces: Iterable<Uint8Array>,
): Generator<Buffer> {
  const { head, cipher } = begin(ring, thing);
  yield head;
  for (const piece of pieces) yield cipher.update(piece);
  cipher.final();
  yield cipher.getAuthTag();
}

/** What stands before the sealed bytes, and what makes them. */
function begin(ring: RingKey, thing: SealedThing): { head: Buffer; cipher: CipherGCM } {
  const { salt, count, key } = ring.next();
  const head = Buffer.allocUnsafe(headBytes);
  head[0] = version;
  head.set(salt, 1);
  head.writeUInt32BE(count, countAt);
  const cipher = createCipheriv("aes-256-gcm", key, nonceOf(head));
  cipher.setAAD(aboutOf(thing));
  return { head, cipher };
}

function openWith(ring: RingKey, thing: SealedThing, sealed: Buffer): Buffer {
  const opening = openPieces(ring, thing, sealed);
  const plain = opening.update(sealed.subarray(headBytes, -tagBytes));
  opening.end();
  return plain;
}

/** From the head and the end of a sealed value, whatever is between them. */
function openPieces(ring: RingKey, thing: SealedThing, sealed: Buffer): Opening {
  if (sealed.length < headBytes + tagBytes || sealed[0] !== version) throw broken(ring.id);
  const key = ring.ofSalt(sealed.subarray(1, countAt));
  const decipher = createDecipheriv("aes-256-gcm", key, nonceOf(sealed));
  decipher.setAAD(aboutOf(thing)).setAuthTag(sealed.subarray(-tagBytes));
  return {
    update: (piece) => decipher.update(piece),
    end: () => {
      try {
        decipher.final();
      } catch {
        throw broken(ring.id);
      }
    },
  };
}

/** GCM is counter mode from the second block on, plus an authentication tag. */
function openStretches(ring: RingKey, head: Buffer): OpeningAt {
  if (head.length < headBytes || head[0] !== version) throw broken(ring.id);
  const key = ring.ofSalt(head.subarray(1, countAt));
  return (from, sealed) => {
    const counter = Buffer.alloc(blockBytes);
    nonceOf(head).copy(counter);
    counter.writeUInt32BE(2 + from / blockBytes, nonceBytes);
    return createDecipheriv("aes-256-ctr", key, counter).update(sealed);
  };
}

/** The counter, padded with zeros to a nonce. */
function nonceOf(head: Buffer): Buffer {
  const nonce = Buffer.alloc(nonceBytes);
  head.copy(nonce, nonceBytes - 4, countAt, headBytes);
  return nonce;
}

const aboutOf = ({ orgId, id, part }: SealedThing): Buffer =>
  Buffer.from(`${orgId}\0${id}\0${part}`);

const notReadable = (refusal: string): Problem =>
  new Problem({
    status: 503,
    code: "seal_key_missing",
    detail: `This cannot be stored: ${refusal}`,
    headers: { "retry-after": "30" },
  });

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

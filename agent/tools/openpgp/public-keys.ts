import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import { ToolFault } from "../tool-fault.ts";
import { readPackets } from "./read-packets.ts";

/** The signed data of a signature. */
export type Signed = {
  readonly hash: string;
  readonly data: Buffer;
  /** The numbers of the signature, as in its packet. */
  readonly numbers: Buffer;
};

/** A signing key or subkey. */
export type PublicKey = {
  /** Its fingerprint, 40 digits. */
  readonly fingerprint: string;
  /** Its key id, the last 16 digits. */
  readonly id: string;
  readonly algorithm: number;
  readonly isGood: (signed: Signed) => boolean;
};

const keyTags = [6, 14]; // a key, and a subkey
const rsa = [1, 3];
const oldEdwards = 22;
const edwards = 27;
/** The curve's name in older Ed25519 keys. */
const curve = Buffer.from("092b06010401da470f01", "hex");

/**
 * Reads the keys of a file: version 4, RSA or Ed25519. The file is trusted: expiry and certifications of keys are
 * ignored, because releases outlive keys.
 */
export function readPublicKeys(file: Buffer): PublicKey[] {
  return readPackets(file)
    .filter(({ tag, body }) => keyTags.includes(tag) && body[0] === 4)
    .flatMap(({ body }) => keyOf(body) ?? []);
}

function keyOf(body: Buffer): PublicKey | undefined {
  const algorithm = body[5] ?? 0;
  const isGood = verifierOf(algorithm, body.subarray(6));
  if (isGood === undefined) return undefined;
  const head = Buffer.from([0x99, body.length >> 8, body.length & 0xff]);
  const fingerprint = createHash("sha1").update(head).update(body).digest("hex").toUpperCase();
  return { fingerprint, id: fingerprint.slice(-16), algorithm, isGood };
}

function verifierOf(algorithm: number, material: Buffer): PublicKey["isGood"] | undefined {
  if (rsa.includes(algorithm)) {
    const [n, rest] = numberOf(material);
    const [e] = numberOf(rest);
    const key = jwk({ kty: "RSA", n: n.toString("base64url"), e: e.toString("base64url") });
    return ({ hash, data, numbers }) => {
      const [value] = numberOf(numbers);
      // The number has no leading zeros, but node expects the length of the key.
      const padded = Buffer.concat([Buffer.alloc(Math.max(0, n.length - value.length)), value]);
      return verify(hash, data, key, padded);
    };
  }
  if (algorithm === edwards) return ed25519(material.subarray(0, 32), (numbers) => numbers);
  if (algorithm !== oldEdwards || !material.subarray(0, curve.length).equals(curve))
    return undefined;
  const [point] = numberOf(material.subarray(curve.length));
  return ed25519(point.subarray(1), (numbers) => {
    const [r, rest] = numberOf(numbers);
    const [s] = numberOf(rest);
    return Buffer.concat([left32(r), left32(s)]);
  });
}

function ed25519(x: Buffer, joined: (numbers: Buffer) => Buffer): PublicKey["isGood"] {
  const key = jwk({ kty: "OKP", crv: "Ed25519", x: x.toString("base64url") });
  // Ed25519 signs the digest here, not the data.
  return ({ hash, data, numbers }) =>
    verify(null, createHash(hash).update(data).digest(), key, joined(numbers));
}

const left32 = (number: Buffer): Buffer =>
  Buffer.concat([Buffer.alloc(Math.max(0, 32 - number.length)), number]);

function jwk(key: Readonly<Record<string, string>>): KeyObject {
  return createPublicKey({ key, format: "jwk" });
}

/** Reads a multiprecision integer: its length in bits in two bytes, then its bytes; and the rest. */
function numberOf(bytes: Buffer): [number: Buffer, rest: Buffer] {
  const bits = bytes.length < 2 ? 0 : bytes.readUInt16BE(0);
  const end = 2 + Math.ceil(bits / 8);
  const number = bytes.subarray(2, end);
  const firstBit = 32 - Math.clz32(number[0] ?? 0);
  if (end > bytes.length || bits !== (number.length - 1) * 8 + firstBit) {
    throw new ToolFault("signature", "a number in a key or signature is invalid");
  }
  return [number, bytes.subarray(end)];
}

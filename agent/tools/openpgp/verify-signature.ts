import { ToolFault } from "../tool-fault.ts";
import type { PublicKey } from "./public-keys.ts";
import { newLength, readPackets } from "./read-packets.ts";

const signatureTag = 2;
/** The type of signatures over binary data. */
const binaryType = 0;
const hashes: Readonly<Record<number, string>> = { 8: "sha256", 9: "sha384", 10: "sha512" };
const issuerKey = 16;
const issuerFingerprint = 33;

/** Returns the key that signed these bytes. Throws ToolFault when none of the keys did. */
export function verifySignature(
  data: Buffer,
  signature: Buffer,
  keys: readonly PublicKey[],
): PublicKey {
  const bodies = readPackets(signature).filter(
    ({ tag, body }) => tag === signatureTag && body[0] === 4,
  );
  if (bodies.length === 0) throw new ToolFault("signature", "its signature cannot be read");
  const issuers: string[] = [];
  for (const { body } of bodies) {
    const { type, algorithm, hash, hashed, numbers, issuer } = partsOf(body);
    if (hash === undefined || type !== binaryType) continue;
    issuers.push(issuer);
    const trailer = Buffer.from([4, 0xff, 0, 0, 0, 0]);
    trailer.writeUInt32BE(hashed.length, 2);
    const signed = { hash, data: Buffer.concat([data, hashed, trailer]), numbers };
    const key = keys.find((one) => one.id === issuer && one.algorithm === algorithm);
    if (key?.isGood(signed) === true) return key;
  }
  const known = keys.some(({ id }) => issuers.includes(id));
  const words = known
    ? "its signature does not match"
    : `it is signed by the key ${issuers.join(", ") || "(none)"}, which is not trusted`;
  throw new ToolFault("signature", words);
}

type Parts = {
  readonly type: number | undefined;
  readonly algorithm: number | undefined;
  readonly hash: string | undefined;
  /** The part of the packet that is signed, too. */
  readonly hashed: Buffer;
  readonly numbers: Buffer;
  /** The id of the key that claims to have signed. */
  readonly issuer: string;
};

function partsOf(body: Buffer): Parts {
  if (body.length < 10) throw new ToolFault("signature", "its signature is truncated");
  const hashedEnd = 6 + body.readUInt16BE(4);
  const openEnd = hashedEnd + 2 + (hashedEnd + 2 > body.length ? 0 : body.readUInt16BE(hashedEnd));
  if (openEnd + 2 > body.length) throw new ToolFault("signature", "its signature is truncated");
  const told = [
    ...subpackets(body.subarray(6, hashedEnd)),
    ...subpackets(body.subarray(hashedEnd + 2, openEnd)),
  ];
  const of = (kind: number): Buffer | undefined => told.find(([one]) => one === kind)?.[1];
  const issuer = of(issuerFingerprint)?.subarray(-8) ?? of(issuerKey);
  return {
    type: body[1],
    algorithm: body[2],
    hash: hashes[body[3] ?? 0],
    hashed: body.subarray(0, hashedEnd),
    numbers: body.subarray(openEnd + 2),
    issuer: issuer?.toString("hex").toUpperCase() ?? "",
  };
}

function subpackets(bytes: Buffer): [kind: number, body: Buffer][] {
  const found: [number, Buffer][] = [];
  for (let at = 0; at < bytes.length;) {
    const { from, length } = newLength(bytes, at);
    found.push([(bytes[from] ?? 0) & 0x7f, bytes.subarray(from + 1, from + length)]);
    at = from + Math.max(length, 1);
  }
  return found;
}

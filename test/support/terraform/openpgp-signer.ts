import { createHash, generateKeyPairSync, sign } from "node:crypto";

/** A key of our own, made anew, and what signs with it as releases are signed. */
export type OpenPgpSigner = {
  /** As a key file holds it. */
  readonly publicKey: Buffer;
  readonly sign: (text: Buffer) => Buffer;
};

const ed25519 = 27;
const sha256 = 8;

/** Makes an Ed25519 key of OpenPGP. */
export function makeOpenPgpSigner(): OpenPgpSigner {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const x = Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url");
  const body = Buffer.concat([Buffer.from([4, 0x65, 0, 0, 0, ed25519]), x]);
  const fingerprint = createHash("sha1")
    .update(Buffer.from([0x99, 0, body.length]))
    .update(body)
    .digest();
  return {
    publicKey: packet(6, body),
    sign: (text) => {
      const issuer = Buffer.concat([Buffer.from([22, 33, 4]), fingerprint]);
      const head = Buffer.from([4, 0, ed25519, sha256, 0, issuer.length]);
      const hashed = Buffer.concat([head, issuer]);
      const trailer = Buffer.from([4, 0xff, 0, 0, 0, hashed.length]);
      const digest = createHash("sha256").update(text).update(hashed).update(trailer).digest();
      const made = sign(null, digest, privateKey);
      return packet(2, Buffer.concat([hashed, Buffer.from([0, 0]), digest.subarray(0, 2), made]));
    },
  };
}

function packet(tag: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0xc0 | tag, body.length]), body]);
}

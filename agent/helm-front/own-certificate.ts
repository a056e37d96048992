import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/** As PEM. */
export type OwnCertificate = { readonly key: string; readonly cert: string };

/**
 * A new key and its self-signed certificate. A client that trusts only this certificate cannot be answered by another
 * program on this host's loopback.
 */
export function makeCertificate(): OwnCertificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const signed = toBeSigned(publicKey);
  const signature = sign("sha256", signed, privateKey);
  const whole = sequence(signed, sequence(oids.ecdsaWithSha256), bits(signature));
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${whole.toString("base64")}\n-----END CERTIFICATE-----\n`,
  };
}

/** Of X.690, and of X.509 in RFC 5280. */
const tags = {
  integer: 2,
  bits: 3,
  octets: 4,
  text: 12,
  utc: 23,
  general: 24,
  sequence: 48,
  set: 49,
};
const explicit = { version: 0xa0, extensions: 0xa3 };
const sanAddress = 0x87;
const oids = {
  ecdsaWithSha256: Buffer.from("06082a8648ce3d040302", "hex"),
  commonName: Buffer.from("0603550403", "hex"),
  alternativeName: Buffer.from("0603551d11", "hex"),
};
const loopback = Buffer.of(127, 0, 0, 1);

function toBeSigned(publicKey: KeyObject): Buffer {
  const name = sequence(
    der(tags.set, sequence(oids.commonName, der(tags.text, Buffer.from("svc-agent helm-front")))),
  );
  // Generous, because a host's clock may be wrong; the job ends long before it expires.
  const always = sequence(
    der(tags.utc, Buffer.from("000101000000Z")),
    der(tags.general, Buffer.from("99991231235959Z")),
  );
  const addresses = der(tags.octets, sequence(der(sanAddress, loopback)));
  return sequence(
    der(explicit.version, der(tags.integer, Buffer.of(2))),
    der(tags.integer, Buffer.concat([Buffer.of(1), randomBytes(15)])),
    sequence(oids.ecdsaWithSha256),
    name,
    always,
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(explicit.extensions, sequence(sequence(oids.alternativeName, addresses))),
  );
}

const sequence = (...parts: readonly Buffer[]): Buffer => der(tags.sequence, ...parts);

const bits = (content: Buffer): Buffer => der(tags.bits, Buffer.of(0), content);

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head =
    length < 0x80
      ? [tag, length]
      : length < 0x100
        ? [tag, 0x81, length]
        : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}

import { createHmac } from "node:crypto";

/** What is signed besides the body. */
export type Signing = {
  /** The message's id, the same at each attempt. */
  readonly id: string;
  /** When this attempt is made. */
  readonly at: Date;
  /** The secret before a rotation, for as long as receivers may still check by it. */
  readonly previousSecret?: string | undefined;
};

/**
 * The headers by which a receiver tells that a body is ours: X-Svc-Signature, the lowercase hex HMAC-SHA256 of the exact
 * bytes, and the three of Standard Webhooks, which also cover id and time. Send exactly this body. Without a secret there
 * is no signature, only id and time.
 */
export function signBody(
  secret: string | undefined,
  body: string | Uint8Array,
  { id, at, previousSecret }: Signing,
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const unsigned = { "webhook-id": id, "webhook-timestamp": timestamp };
  if (secret === undefined) return unsigned;
  const signatures = [secret, previousSecret]
    .filter((one) => one !== undefined)
    .map((one) => {
      const signature = createHmac("sha256", webhookKey(one)).update(`${id}.${timestamp}.`);
      return `v1,${signature.update(body).digest("base64")}`;
    });
  return {
    ...unsigned,
    "webhook-signature": signatures.join(" "),
    "x-svc-signature": createHmac("sha256", secret).update(body).digest("hex"),
  };
}

/** Standard Webhooks writes keys as `whsec_` and base64; any other secret is the key as it stands. */
function webhookKey(secret: string): Buffer {
  const base64 = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/.exec(
    secret,
  )?.[1];
  return base64 === undefined || base64 === ""
    ? Buffer.from(secret, "utf8")
    : Buffer.from(base64, "base64");
}

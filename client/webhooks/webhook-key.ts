/** What may have signed: a secret, or several while one takes the other's place. */
export type Secrets = string | Uint8Array | readonly (string | Uint8Array)[];

/** The secrets' bytes; a TypeError where there is none, or an empty one, by which anybody could sign. */
export function secretsOf(secrets: Secrets): Uint8Array[] {
  const list = typeof secrets === "string" || secrets instanceof Uint8Array ? [secrets] : secrets;
  const all = list.map((one) => (typeof one === "string" ? new TextEncoder().encode(one) : one));
  if (all.length > 0 && all.every((one) => one.byteLength > 0)) return all;
  throw new TypeError("A webhook is checked by secrets, none of which is empty.");
}

/** Standard Webhooks writes keys as `whsec_` and base64; any other secret is the key as it stands. */
export function webhookKey(secret: Uint8Array): Uint8Array {
  const base64 = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/.exec(
    new TextDecoder().decode(secret),
  )?.[1];
  return base64 === undefined || base64 === "" ? secret : Buffer.from(base64, "base64");
}

import { createHmac, timingSafeEqual } from "node:crypto";
import { SvcError } from "../svc-error.ts";
import { type HeadersGiven, headerReader } from "./header-reader.ts";
import { type Secrets, secretsOf, webhookKey } from "./webhook-key.ts";

/** A request that came from a broker, by its signature. */
export type Verified = {
  /** The same at each attempt and each repetition: take what came twice once. */
  readonly id: string;
  /** When this attempt was sent. */
  readonly sentAt: Date;
};

/** A request that came from a broker at some time: the signature says nothing of when. */
export type VerifiedUntimed = {
  /** The signed body's own `id`; undefined where it has none, as the header's is not signed. */
  readonly id: string | undefined;
};

/** What a check takes. */
export type VerifyOptions = {
  /** Takes X-Svc-Signature where there is no other: whoever once saw such a request can send it again for ever. */
  readonly untimed?: boolean;
  /** The receiver's clock, in milliseconds since 1970. */
  readonly now?: () => number;
};

const longestAgeMs = 5 * 60_000;
/** A rotation has two. */
const mostSignatures = 16;

type VerifyWebhook = {
  (
    rawBody: string | Uint8Array,
    headers: HeadersGiven,
    secrets: Secrets,
    options?: VerifyOptions & { readonly untimed?: false },
  ): Verified;
  (
    rawBody: string | Uint8Array,
    headers: HeadersGiven,
    secrets: Secrets,
    options: VerifyOptions,
  ): Verified | VerifiedUntimed;
};

/**
 * Takes a request that one of these secrets has signed with its time, five minutes ago at most; an SvcError with a
 * `webhook_…` code for any other. `rawBody` are the bytes as they came, before anything parsed them.
 */
export const verifyWebhook: VerifyWebhook = (
  rawBody,
  headers,
  secrets,
  { untimed = false, now = Date.now }: VerifyOptions = {},
): Verified => {
  const read = headerReader(headers);
  const all = secretsOf(secrets);
  const body = typeof rawBody === "string" ? new TextEncoder().encode(rawBody) : rawBody;
  if (read("webhook-signature") !== undefined) return verifyTimed(body, read, all, now);
  if (untimed) return verifyUntimed(body, read, all) as Verified; // its own signature says so
  throw refused("webhook_unsigned", "There is no signature with a time: webhook-signature.");
};

type Read = ReturnType<typeof headerReader>;

/** Standard Webhooks: over id, time and body, by the key that a secret stands for. */
function verifyTimed(
  body: Uint8Array,
  read: Read,
  secrets: readonly Uint8Array[],
  now: () => number,
): Verified {
  const id = read("webhook-id") ?? "";
  const time = read("webhook-timestamp") ?? "";
  if (id === "" || !/^\d{1,12}$/.test(time))
    throw refused("webhook_unsigned", "webhook-id or webhook-timestamp is missing.");
  const given = (read("webhook-signature") ?? "").split(" ", mostSignatures);
  const expected = secrets.map((secret) => {
    const signature = createHmac("sha256", webhookKey(secret)).update(`${id}.${time}.`);
    return `v1,${signature.update(body).digest("base64")}`;
  });
  if (!isAnyEqual(given, expected)) throw isNotOurs();
  const sentAt = new Date(Number(time) * 1000);
  if (Math.abs(now() - sentAt.getTime()) > longestAgeMs)
    throw refused("webhook_too_old", "The signature's time is more than five minutes away.");
  return { id, sentAt };
}

/** X-Svc-Signature: over the body alone, by the secret as it stands. */
function verifyUntimed(
  body: Uint8Array,
  read: Read,
  secrets: readonly Uint8Array[],
): VerifiedUntimed {
  const given = read("x-svc-signature");
  if (given === undefined) throw refused("webhook_unsigned", "There is no signature.");
  const expected = secrets.map((secret) => createHmac("sha256", secret).update(body).digest("hex"));
  if (!isAnyEqual([given], expected)) throw isNotOurs();
  return { id: idIn(body) };
}

/** All are compared, and each in a time that does not tell where it differs. */
function isAnyEqual(given: readonly string[], expected: readonly string[]): boolean {
  let isEqual = false;
  for (const one of expected.map((text) => Buffer.from(text))) {
    for (const other of given.map((text) => Buffer.from(text)))
      isEqual = (one.length === other.length && timingSafeEqual(one, other)) || isEqual;
  }
  return isEqual;
}

function idIn(body: Uint8Array): string | undefined {
  try {
    const read = JSON.parse(new TextDecoder().decode(body)) as { id?: unknown } | null;
    return typeof read?.id === "string" ? read.id : undefined;
  } catch {
    return undefined;
  }
}

const refused = (code: string, words: string): SvcError => new SvcError(words, { code });
const isNotOurs = (): SvcError =>
  refused("webhook_not_ours", "No signature is by any of the secrets.");

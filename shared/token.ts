import { takeRandomBytes } from "./random-bytes.ts";

/**
 * What a token's prefix tells: who carries it. Tokens of kind `job` live with their execution, those of kind `run` with the job of an action's run; `ses` is a browser that is
 * signed in to the dashboard, or a link that signs it in, and no token for requests.
 */
export const tokenKinds = ["pat", "sa", "rt", "boot", "st", "it", "ses", "job", "run"] as const;
export type TokenKind = (typeof tokenKinds)[number];

/** Kinds whose tokens name the job that they are for. */
type OfJob = "job" | "run";

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const secretLength = 30;
const checksumLength = 6;
const idLength = 26;
const pattern = /^svc_(?:(pat|sa|rt|boot|st|it|ses)_[0-9A-Za-z]{36}|(job|run)_[0-9A-Za-z]{62})$/;

/** A new token of 178 random bits, `svc_<kind>_<30><6>`; the last six tell a typing error from a wrong token. `inv` is what accepts an invitation, `reg` the password of a login to a registry: no tokens for requests. */
export function mintToken(kind: Exclude<TokenKind, OfJob> | "inv" | "reg"): string {
  const head = `svc_${kind}_${randomDigits()}`;
  return head + checksum(head);
}

/** The token's kind; undefined when the text is no token of ours, which needs no look-up to tell. */
export function parseToken(text: string): { kind: TokenKind } | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  if (checksum(text.slice(0, -checksumLength)) !== text.slice(-checksumLength)) return undefined;
  return { kind: (match[1] ?? match[2]) as TokenKind }; // the pattern admits only kinds
}

/** The secret half of a job's token, of which the execution or the run keeps the digest: it is made before the job is known. */
export function mintJobSecret(): string {
  return randomDigits();
}

/** A job's token says which job it is for, so that it is found without an index of its own. */
export function jobToken(jobId: string, secret: string, kind: OfJob = "job"): string {
  const head = `svc_${kind}_${jobId.slice(-idLength)}${secret}`;
  return head + checksum(head);
}

/** The two halves of a text that `parseToken` called a job's token. */
export function jobTokenParts(text: string): { jobId: string; secret: string } {
  const body = text.slice("svc_job_".length, -checksumLength);
  return { jobId: `job_${body.slice(0, idLength)}`, secret: body.slice(idLength) };
}

/** What may be shown of a token again, so that a person knows which it is: its prefix and last four characters. */
export function tokenHint(text: string): string {
  return `${text.slice(0, text.lastIndexOf("_") + 1)}…${text.slice(-4)}`;
}

/** Finds tokens in any text, for redaction. */
export const tokenPattern = /svc_(?:pat|sa|rt|boot|st|it|ses|job|run|inv|reg)_[0-9A-Za-z]{4,}/g;

/** Bytes of 248 and above are thrown away, so that every digit is equally likely. */
function randomDigits(): string {
  let text = "";
  while (text.length < secretLength) {
    for (const byte of takeRandomBytes(48)) {
      if (byte < 248 && text.length < secretLength) text += digits.charAt(byte % 62);
    }
  }
  return text;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let encoded = "";
  for (let at = 0; at < checksumLength; at++) {
    encoded = digits.charAt(rest % 62) + encoded;
    rest = Math.floor(rest / 62);
  }
  return encoded;
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let at = 0; at < text.length; at++) {
    crc = (crc >>> 8) ^ (crcTable[(crc ^ text.charCodeAt(at)) & 255] ?? 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

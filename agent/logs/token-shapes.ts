import { tokenKinds } from "../../shared/token.ts";
import { encodingsOf } from "./encodings-of.ts";

/** What is a secret by its looks: it begins with one of `heads`, and `measure` says how far it reaches. */
export type TokenShape = {
  readonly heads: readonly string[];
  /** Where the secret ends; 0: it is none; "more": only further bytes can tell. */
  readonly measure: (bytes: Uint8Array, bodyAt: number, isFinal: boolean) => number | "more";
};

const word = "A-Za-z0-9";
/** Longer than any token: what goes on after it is something else. */
const longestToken = 16 * 1024;
const longestLogin = 512;
const keyNames = ["PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "PGP PRIVATE KEY BLOCK"].concat(
  ["RSA", "EC", "DSA", "OPENSSH"].map((kind) => `${kind} PRIVATE KEY`),
);

/** Tokens of well-known makers, keys in PEM, logins in URLs and in headers; tokens also inside of base64. */
export const tokenShapes: readonly TokenShape[] = [
  ...token(
    tokenKinds.map((kind) => `svc_${kind}_`),
    word,
    20,
  ),
  ...token(["AKIA", "ASIA"], "A-Z0-9", 16),
  ...token(["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], word, 30),
  ...token(["github_pat_"], `${word}_`, 30),
  ...token(["glpat-", "glrt-", "gldt-", "glcbt-", "glptt-"], `${word}_.-`, 16),
  ...token(["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xapp-"], `${word}-`, 16),
  ...token(
    ["npm_", "hvs.", "hvb.", "dop_v1_", "sk_live_", "rk_live_", "sk-ant-", "sk-proj-", "AIza"],
    `${word}_-`,
    30,
  ),
  ...token(['{"alg":', '{"typ":', '{"kid":'].flatMap(jwtHeads), `${word}_.=-`, 20),
  run(["https://hooks.slack.com/services/"], `${word}/`, 20),
  run(["Bearer ", "bearer "], `${word}_.~+/=-`, 20),
  run(["uthorization: Basic ", "uthorization: basic "], `${word}+/=`, 8),
  { heads: ["https://", "http://"], measure: measureLogin },
  ...privateKeys(),
];

function jwtHeads(json: string): string[] {
  return [
    Buffer.from(json)
      .toString("base64url")
      .slice(0, Math.floor((json.length * 8) / 6)),
  ];
}

/** A token in plain text and, as its head shows in three ways there, in base64. */
function token(heads: readonly string[], alphabet: string, least: number): TokenShape[] {
  const encoded = heads.flatMap((head) => base64Heads(head));
  const leastEncoded = Math.floor((least * 4) / 3);
  return [run(heads, alphabet, least), run(encoded, `${word}+/_=-`, leastEncoded)];
}

function base64Heads(head: string): string[] {
  const forms = [...encodingsOf(Buffer.from(head))];
  return forms.filter(
    (form) => form !== head && /^[\w+/-]+$/.test(form) && !/^[\da-f]+$/i.test(form),
  );
}

/** So many characters at least after the head, and all that follow of the same alphabet. */
function run(heads: readonly string[], alphabet: string, least: number): TokenShape {
  const isMember = membersOf(alphabet);
  return {
    heads,
    measure: (bytes, bodyAt, isFinal) => {
      const end = runEnd(bytes, bodyAt, { isMember, most: longestToken });
      if (end === bytes.length && end - bodyAt < longestToken && !isFinal) return "more";
      return end - bodyAt >= least ? end : 0;
    },
  };
}

/** `user:password@` and `token@` after a URL's scheme. */
const loginMembers = membersOf(String.raw`\x21\x23-\x26\x28-\x2e\x30-\x3b\x3d\x41-\x7e`);
function measureLogin(bytes: Uint8Array, bodyAt: number, isFinal: boolean): number | "more" {
  let hasColon = false;
  const last = Math.min(bytes.length, bodyAt + longestLogin);
  for (let at = bodyAt; at < last; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x40) return (hasColon && at > bodyAt + 1) || at - bodyAt >= 20 ? at : 0;
    if (loginMembers[byte] === 0) return 0;
    hasColon ||= byte === 0x3a;
  }
  return last === bytes.length && !isFinal && last < bodyAt + longestLogin ? "more" : 0;
}

/** Of the block's text, also where a line's end is written as \n or %0A. */
const keyMembers = membersOf(String.raw`A-Za-z0-9+/=,:.()\\%\r\n\t\x20-`);
const endMark = Buffer.from("-----END");

function privateKeys(): TokenShape[] {
  const heads = keyNames.map((name) => `-----BEGIN ${name}`);
  const plain = heads.flatMap((head) => [
    head,
    head.replaceAll(" ", "%20"),
    head.replaceAll(" ", "+"),
  ]);
  const encoded = heads.flatMap((head) => base64Heads(head));
  // Long base64 is wrapped.
  const alphabet = String.raw`A-Za-z0-9+/_=\r\n-`;
  return [{ heads: plain, measure: measureKey }, run(encoded, alphabet, 40)];
}

/** To the end of the line that ends the block; without one, as far as it may be part of a key. */
function measureKey(bytes: Uint8Array, bodyAt: number, isFinal: boolean): number | "more" {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = runEnd(bytes, bodyAt, { isMember: keyMembers, most: longestToken });
  const isOpen = end === bytes.length && end - bodyAt < longestToken && !isFinal;
  const endAt = text.subarray(bodyAt, end).indexOf(endMark);
  if (endAt === -1) return isOpen ? "more" : end;
  const dashes = text.subarray(bodyAt + endAt + endMark.length, end).indexOf("-----");
  if (dashes !== -1) return bodyAt + endAt + endMark.length + dashes + 5;
  return isOpen ? "more" : end;
}

function membersOf(alphabet: string): Uint8Array {
  const isMember = new RegExp(`[${alphabet}]`);
  return Uint8Array.from({ length: 256 }, (_, byte) =>
    isMember.test(String.fromCharCode(byte)) ? 1 : 0,
  );
}

function runEnd(
  bytes: Uint8Array,
  from: number,
  { isMember, most }: { readonly isMember: Uint8Array; readonly most: number },
): number {
  const last = Math.min(bytes.length, from + most);
  let at = from;
  while (at < last && isMember[bytes[at] ?? 0] === 1) at++;
  return at;
}

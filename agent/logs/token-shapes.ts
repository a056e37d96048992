import { tokenKinds } from "../../shared/token.ts";
import { encodingsOf } from "./encodings-of.ts";

/** What is a secret by its looks: it begins with one of `heads`, and `measure` says how far it reaches. */
export type TokenShape = {
  readonly heads: readonly string[];
  /** What is learnt of the bytes is kept for the next head in them: each is looked at once, however many heads there are. */
  readonly measure: (bytes: Buffer, isFinal: boolean) => Measure;
};

/** Where the secret ends whose head ends here; 0: it is none; "more": only further bytes can tell. Asked in order. */
export type Measure = (bodyAt: number) => number | "more";

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
    measure: (bytes, isFinal) => {
      const endOf = makeRunEnd(bytes, isMember);
      return (bodyAt) => {
        const end = endOf(bodyAt);
        if (end === bytes.length && end - bodyAt < longestToken && !isFinal) return "more";
        return end - bodyAt >= least ? end : 0;
      };
    },
  };
}

/** `user:password@` and `token@` after a URL's scheme. */
const loginMembers = membersOf(String.raw`\x21\x23-\x26\x28-\x2e\x30-\x3b\x3d\x41-\x7e`);
function measureLogin(bytes: Buffer, isFinal: boolean): Measure {
  return (bodyAt) => {
    let hasColon = false;
    const last = Math.min(bytes.length, bodyAt + longestLogin);
    for (let at = bodyAt; at < last; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === 0x40) return (hasColon && at > bodyAt + 1) || at - bodyAt >= 20 ? at : 0;
      if (loginMembers[byte] === 0) return 0;
      hasColon ||= byte === 0x3a;
    }
    return last === bytes.length && !isFinal && last < bodyAt + longestLogin ? "more" : 0;
  };
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
function measureKey(bytes: Buffer, isFinal: boolean): Measure {
  const endOf = makeRunEnd(bytes, keyMembers);
  const endMarkAfter = makeSearch(bytes, endMark);
  return (bodyAt) => {
    const end = endOf(bodyAt);
    const isOpen = end === bytes.length && end - bodyAt < longestToken && !isFinal;
    const markEnd = endMarkAfter(bodyAt) + endMark.length;
    if (markEnd > end) return isOpen ? "more" : end;
    const dashes = bytes.subarray(markEnd, end).indexOf("-----");
    if (dashes !== -1) return markEnd + dashes + 5;
    return isOpen ? "more" : end;
  };
}

function membersOf(alphabet: string): Uint8Array {
  const isMember = new RegExp(`[${alphabet}]`);
  return Uint8Array.from({ length: 256 }, (_, byte) =>
    isMember.test(String.fromCharCode(byte)) ? 1 : 0,
  );
}

/** Tells where a run of members ends that begins at a place, `longestToken` further at most. */
function makeRunEnd(bytes: Buffer, isMember: Uint8Array): (from: number) => number {
  let knownFrom = 0;
  let knownTo = 0;
  return (from) => {
    // A shorter head that begins where a longer one does ends before it.
    for (let at = from; at < knownFrom; at++) if (isMember[bytes[at] ?? 0] !== 1) return at;
    if (knownTo < from) knownTo = from;
    knownFrom = from;
    const last = Math.min(bytes.length, from + longestToken);
    while (knownTo < last && isMember[bytes[knownTo] ?? 0] === 1) knownTo++;
    return Math.min(knownTo, last);
  };
}

/** Finds the first of the marks after a place. */
function makeSearch(bytes: Buffer, mark: Buffer): (from: number) => number {
  let foundAt = -1;
  return (from) => {
    if (foundAt < from) {
      const at = bytes.indexOf(mark, from);
      foundAt = at === -1 ? bytes.length : at;
    }
    return foundAt;
  };
}

import { tokenKinds } from "../../shared/token.ts";
import { base64Forms } from "./encodings-of.ts";

/** A form of tokens: it begins with one of `heads`, and `measure` finds its end. */
export type TokenShape = {
  readonly heads: readonly string[];
  /** State that is shared between heads in the same bytes, so that each byte is examined once. */
  readonly measure: (bytes: Buffer, isFinal: boolean) => Measure;
};

/** The end of the token whose head ends here; 0: it is none; "more": more bytes are needed. Called in order. */
export type Measure = (bodyAt: number) => number | "more";

const word = "A-Za-z0-9";
/** Longer than any token: what continues after it is something else. */
const longestToken = 16 * 1024;
const longestLogin = 512;
const keyNames = ["PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "PGP PRIVATE KEY BLOCK"].concat(
  ["RSA", "EC", "DSA", "OPENSSH"].map((kind) => `${kind} PRIVATE KEY`),
);

/**
 * All forms: tokens of well-known services, keys in PEM, logins in URLs and headers; tokens also inside of base64.
 */
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

/** A token in plain text and in base64, where its head has three forms. */
function token(heads: readonly string[], alphabet: string, least: number): TokenShape[] {
  const encoded = heads.flatMap((head) => base64Heads(head));
  const leastEncoded = Math.floor((least * 4) / 3);
  return [run(heads, alphabet, least), run(encoded, `${word}+/_=-`, leastEncoded)];
}

function base64Heads(head: string): string[] {
  return [...new Set(base64Forms(Buffer.from(head)))].filter((form) => /^[\w+/-]{4,}$/.test(form));
}

/** At least this many characters after the head, and all that follow of the same alphabet. */
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

/** Part of the block, also where line ends are written as \n or %0A. */
const keyMembers = membersOf(String.raw`A-Za-z0-9+/=,:.()\\%\r\n\t\x20-`);
const endMark = "-----END";

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

/**
 * To the end of the last line of the block. Without that line, as far as the lines look like those of a key: after a
 * lone beginning comes other output.
 */
function measureKey(bytes: Buffer, isFinal: boolean): Measure {
  return (bodyAt) => {
    const most = Math.min(bytes.length, bodyAt + longestToken);
    const isCut = (at: number): boolean => at === bytes.length && at < bodyAt + longestToken;
    let from = bodyAt;
    while (from < most && bytes[from] === dash) from++;
    let end = from;
    for (let isOver = false; ;) {
      const to = lineEnd(bytes, from, most);
      if (isCut(to) && !isFinal) return "more";
      const line = bytes.toString("latin1", from, to);
      const mark = line.indexOf(endMark);
      if (mark !== -1) return from + endOfMark(line, mark + endMark.length);
      if (isOver) return end;
      const look = lookOf(line);
      isOver = look === "last" || look === "other";
      if (look === "key" || (look === "last" && end > bodyAt + 5)) end = to;
      const next = afterLineEnd(bytes, to, most);
      if (next === to) return end; // this byte is in no key
      from = next;
    }
  };
}

/** After the dashes that end the line, if there are any. */
function endOfMark(line: string, from: number): number {
  const dashes = line.indexOf("-----", from);
  return dashes === -1 ? line.length : dashes + 5;
}

/** A line within a block: a key is mostly long lines, and a shorter one ends it. */
function lookOf(line: string): "key" | "blank" | "last" | "other" {
  const text = line.trim();
  if (text === "") return "blank";
  if (text.includes("-----BEGIN")) return "other";
  if (/^[A-Za-z0-9+/=\\%]{16,}$|[A-Za-z0-9+/=\\%]{40}/.test(text)) return "key";
  if (/^(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID):/.test(text)) return "key";
  return /^[A-Za-z0-9+/=]+$/.test(text) ? "last" : "other";
}

const [dash, newline, carriageReturn, backslash, percent] = [0x2d, 0x0a, 0x0d, 0x5c, 0x25];

function lineEnd(bytes: Buffer, from: number, most: number): number {
  let at = from;
  while (at < most && keyMembers[bytes[at] ?? 0] === 1 && breakLength(bytes, at) === 0) at++;
  return at;
}

function afterLineEnd(bytes: Buffer, from: number, most: number): number {
  let at = from;
  for (let length = 1; at < most && length > 0; at += length) length = breakLength(bytes, at);
  return at;
}

/** The length of a line end at a position: raw, written as \n (also twice escaped), or as %0A. */
function breakLength(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === newline || byte === carriageReturn) return 1;
  if (byte === percent) return /^%0[ad]/i.test(bytes.toString("latin1", at, at + 3)) ? 3 : 0;
  if (byte !== backslash) return 0;
  let to = at + 1;
  while (bytes[to] === backslash && to - at < 4) to++;
  return bytes[to] === 0x6e || bytes[to] === 0x72 ? to + 1 - at : 0;
}

function membersOf(alphabet: string): Uint8Array {
  const isMember = new RegExp(`[${alphabet}]`);
  return Uint8Array.from({ length: 256 }, (_, byte) =>
    isMember.test(String.fromCharCode(byte)) ? 1 : 0,
  );
}

/** The end of a run of members that begins at a position, at most `longestToken` further. */
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

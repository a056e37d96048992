import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutAt, streamed } from "../../test/support/agent/redacted-stream.ts";
import { isWorthHiding } from "./is-worth-hiding.ts";
import { makeRedactor, type StreamPosition } from "./redactor.ts";

const character = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(..."abcXYZ019") },
  { weight: 5, arbitrary: fc.constantFrom(..."_-+/= .,:;'\"\\$`!&<>?%#@\t\n") },
  { weight: 1, arbitrary: fc.constantFrom(..."äß€漢🔑\r") },
);
const secretText = fc
  .string({ unit: character, minLength: 6, maxLength: 60 })
  .filter((text) => text.split(/[\r\n]+/).every((line) => line === line.trim() && line.length > 5))
  .filter(isWorthHiding);
const secretTexts = fc.array(secretText, { minLength: 1, maxLength: 5 });

/** What a program may make of a secret on its way out; written anew, so that it contradicts what the redactor believes. */
const forms: Record<string, (text: string) => string> = {
  plain: (text) => text,
  base64: (text) => Buffer.from(text).toString("base64"),
  "base64 after one byte": (text) => Buffer.from(`:${text}\n`).toString("base64"),
  "base64 after two bytes": (text) => Buffer.from(`u:${text} `).toString("base64"),
  base64url: (text) => Buffer.from(`key=${text}`).toString("base64url"),
  hex: (text) => Buffer.from(text).toString("hex"),
  url: (text) => encodeURIComponent(text),
  form: (text) => new URLSearchParams({ secret: text }).toString(),
  "url, lower case": (text) =>
    encodeURIComponent(text).replaceAll(/%../g, (code) => code.toLowerCase()),
  json: (text) => JSON.stringify({ secret: text }),
  "json in json": (text) => JSON.stringify(JSON.stringify([text])),
  "single quotes": (text) => `'${text.split("'").join("'\\''")}'`,
  "double quotes": (text) => `"${text.replaceAll(/["\\`$]/g, (sign) => `\\${sign}`)}"`,
  unquoted: (text) => unquoted(text),
  "a shell's trace": (text) => `+ : $'${escaped(Buffer.from(text).toString("latin1"), octal)}'`,
  "a shell's trace in UTF-8": (text) => `+ : $'${escaped(text, (sign) => sign)}'`,
  bytes: (text) => `b'${escaped(Buffer.from(text).toString("latin1"), hex)}'`,
};
const unquoted = (text: string): string => text.split(/[ \t\n]+/).join(" ");
const octal = (sign: string): string => `\\${sign.charCodeAt(0).toString(8)}`;
const hex = (sign: string): string => `\\x${sign.charCodeAt(0).toString(16)}`;
const named: Record<string, string> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };
const escaped = (text: string, beyond: (sign: string) => string): string =>
  [...text.replaceAll(/[\\']/g, String.raw`\$&`)]
    .map((sign) => named[sign] ?? (sign > "~" ? beyond(sign) : sign))
    .join("");
const form = fc.constantFrom(...Object.keys(forms));

/** What must not be found in an output that has shown the secret in some form. */
const traces = (text: string): string[] => [
  text,
  ...text.split(/[\r\n]+/),
  Buffer.from(text)
    .toString("base64")
    .slice(0, Math.floor((Buffer.byteLength(text) * 8) / 6)),
  Buffer.from(text).toString("hex"),
  encodeURIComponent(text),
  JSON.stringify(text).slice(1, -1),
  escaped(text, (sign) => sign),
  ...[octal, hex].map((beyond) => escaped(Buffer.from(text).toString("latin1"), beyond)),
  ...[unquoted(text)].filter(isWorthHiding),
];

const noise = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: character, maxLength: 40 }),
  fc.constantFrom(
    "svc_rt_",
    "ghp_",
    "https://u:p",
    "@host/",
    "eyJhbGciOi",
    "-----BEGIN RSA PRIVATE KEY-----\n",
    "-----END ",
  ),
);

describe("a redactor", () => {
  test("lets no secret through, however it is encoded and wherever it is cut", () => {
    const shown = fc.array(fc.tuple(fc.nat(), form, noise), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(
        secretTexts,
        shown,
        fc.array(fc.nat(), { maxLength: 12 }),
        (secrets, shown, cuts) => {
          const parts = shown.map(([which, name, before]) => {
            const secret = secrets[which % secrets.length] ?? "";
            return { secret, text: before + (forms[name]?.(secret) ?? "") };
          });
          const source = Buffer.from(parts.map(({ text }) => text).join(" | "));
          const out = streamed(makeRedactor(secrets), cutAt(source, cuts));
          for (const { secret } of parts) {
            for (const trace of traces(secret)) {
              expect(out).not.toContain(Buffer.from(trace).toString("latin1"));
            }
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test("answers the same however its input is cut, and wherever another stream goes on", () => {
    const text = fc.array(fc.oneof(noise, secretText), { maxLength: 12 });
    fc.assert(
      fc.property(
        secretTexts,
        text,
        fc.array(fc.nat(), { maxLength: 12 }),
        fc.nat(),
        (secrets, text, cuts, which) => {
          const redactor = makeRedactor(secrets);
          const source = Buffer.from([...text, secrets[0], ...text].join(""));
          const whole = streamed(redactor, [source]);
          const pieces = cutAt(source, cuts);
          expect(streamed(redactor, pieces)).toBe(whole);

          const first = redactor.stream();
          const before = pieces
            .slice(0, which % pieces.length)
            .map((piece) => Buffer.from(first.push(piece)));
          const at = JSON.parse(JSON.stringify(first.position())) as StreamPosition;
          const second = redactor.stream(at);
          const after = [second.push(source.subarray(at.offset)), second.end()];
          expect(Buffer.concat([...before, ...after]).toString("latin1")).toBe(whole);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("replaces exactly what a search for each secret at each place finds", () => {
    const letters = fc.string({ unit: fc.constantFrom("k", "x"), minLength: 4, maxLength: 9 });
    const text = fc.string({ unit: fc.constantFrom("k", "x", "k", "x", "."), maxLength: 80 });
    fc.assert(
      fc.property(fc.array(letters, { minLength: 1, maxLength: 4 }), text, (secrets, text) => {
        expect(makeRedactor(secrets).redactText(text)).toBe(replacedOneByOne(secrets, text));
      }),
      { numRuns: 500 },
    );
  });

  test("leaves everything else as it is, byte for byte", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000 }), fc.array(fc.nat()), (bytes, cuts) => {
        const redactor = makeRedactor(["correct horse battery staple"]);
        const source = Buffer.from(bytes);
        expect(streamed(redactor, cutAt(source, cuts))).toBe(source.toString("latin1"));
      }),
    );
    const log =
      "Apply complete! Resources: 3 added, see https://example.com/a?b=c#d and me@example.com\n";
    expect(makeRedactor(["s3cr3t-value"]).redactText(log)).toBe(log);
  });

  test("knows a secret from the byte after it was told, also when its beginning came before", () => {
    const redactor = makeRedactor(["abcdefgh"]);
    const stream = redactor.stream();
    const out = [stream.push(Buffer.from("later-secret abcd"))];
    redactor.add("abcd-later-secret");
    out.push(stream.push(Buffer.from("-later-secret later-secret")), stream.end());
    expect(Buffer.concat(out).toString()).toBe("later-secret *** later-secret");
  });

  test("hides the lines of a secret of many lines one by one", () => {
    const redactor = makeRedactor([
      "first line of it\n  second line of it\r\nok\n-----BEGIN THING-----\n",
    ]);
    expect(
      redactor.redactText("> second line of it\n> ok\n> first line of it <\n-----BEGIN THING-----"),
    ).toBe("> ***\n> ok\n> *** <\n-----BEGIN THING-----");
  });

  test("hides what encoders make of what other encoders have made", () => {
    const secret = 'pass"wo/rd\\99+xx?>~';
    const json = JSON.stringify({ p: secret });
    const base64 = Buffer.from(secret).toString("base64");
    const { redactText } = makeRedactor([secret]);
    expect(redactText(encodeURIComponent(base64))).toBe("***");
    expect(redactText(encodeURIComponent(json))).toBe("%7B%22p%22%3A%22***%22%7D");
    const inJson = Buffer.from(redactText(Buffer.from(json).toString("base64")), "base64");
    expect(inJson.toString()).not.toContain("wo/rd");
  });

  test("hides the beginning of a secret when the rest of it is somewhere else", () => {
    const stream = makeRedactor(["correct-horse-battery"]).stream();
    const out = [stream.push(Buffer.from("it is correct-ho")), stream.end()];
    out.push(stream.push(Buffer.from("and not corr")), stream.end());
    expect(Buffer.concat(out).toString()).toBe("it is ***and not corr");
  });

  test("finds secrets of any length", () => {
    const secret = Buffer.from(
      Array.from({ length: 300_000 }, (_, at) => (at * at * 31 + at) % 251),
    ).toString("base64");
    const redactor = makeRedactor([secret]);
    const out = streamed(
      redactor,
      cutAt(Buffer.from(`a ${secret} b`), [1000, 70_000, 70_001, 399_999]),
    );
    expect(out).toMatch(/^a [*]+ b$/);
  });

  test.each([
    "",
    "abc",
    "true",
    "FALSE",
    "8080",
    "us-east-1",
    "europe-west4",
    "eastus2",
    "null",
    "  on \n",
  ])("lets be what is too short or too common: %j", (text) => {
    const shown = `[${text}] is ${text}`;
    expect(makeRedactor([text]).redactText(shown)).toBe(shown);
  });

  test("redacts texts, numbers and keys in JSON, and answers the same value where nothing is", () => {
    const redactor = makeRedactor(["hunter22", "90125901"]);
    const clean = { a: [1, null, true, { b: "c" }] };
    expect(redactor.redactJson(clean)).toBe(clean);
    expect(redactor.redactJson({ "x hunter22": ["a", { b: "hunter22!" }], n: 90125901 })).toEqual({
      "x ***": ["a", { b: "***!" }],
      n: "***",
    });
  });
});

/** Slow and plain: marks every place of every secret, then replaces what is marked. */
function replacedOneByOne(secrets: readonly string[], text: string): string {
  const found: { from: number; to: number }[] = [];
  for (let from = 0; from < text.length; from++) {
    const longest = Math.max(
      0,
      ...secrets.filter((one) => text.startsWith(one, from)).map((one) => one.length),
    );
    if (longest > 0) found.push({ from, to: from + longest });
  }
  let out = "";
  let doneAt = 0;
  for (const { from, to } of found) {
    if (from >= doneAt) out += `${text.slice(doneAt, from)}***`;
    doneAt = Math.max(doneAt, to);
  }
  return out + text.slice(doneAt);
}

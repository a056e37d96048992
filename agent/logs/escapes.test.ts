import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutAt, streamed } from "../../test/support/agent/redacted-stream.ts";
import { makeRedactor } from "./redactor.ts";

type Encoder = (text: string) => string;
const units = (text: string, code: (unit: number) => string): string =>
  Array.from({ length: text.length }, (_, at) => code(text.charCodeAt(at))).join("");
const points = (text: string, code: (point: number) => string): string =>
  Array.from(text, (sign) => code(sign.codePointAt(0) ?? 0)).join("");
const bytes = (text: string, code: (byte: string) => string, between = ""): string =>
  Array.from(Buffer.from(text), (byte) => code(byte.toString(16).padStart(2, "0"))).join(between);
const named: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  "/": "&sol;",
};
const signs = /[&<>"'/]/g;

/** What escapes every character, or those that mean something; written anew, so that it contradicts what is believed. */
const escapes: Readonly<Record<string, Encoder>> = {
  "HTML, by names": (text) => text.replaceAll(signs, (sign) => named[sign] ?? sign),
  "HTML, by decimal numbers": (text) => text.replaceAll(signs, (s) => `&#${s.charCodeAt(0)};`),
  "HTML, by padded numbers": (text) => text.replaceAll(signs, (s) => `&#0${s.charCodeAt(0)};`),
  "HTML, by hexadecimal numbers": (text) =>
    text.replaceAll(signs, (sign) => `&#x${sign.charCodeAt(0).toString(16).toUpperCase()};`),
  "HTML, every character": (text) => points(text, (point) => `&#x${point.toString(16)};`),
  "HTML, every character, decimal": (text) => points(text, (point) => `&#${point};`),
  SQL: (text) => text.replaceAll("'", "''"),
  CSV: (text) => text.replaceAll('"', '""'),
  PowerShell: (text) => text.replaceAll(/["$`]/g, "`$&"),
  "per cent, every byte": (text) => bytes(text, (hex) => `%${hex.toUpperCase()}`),
  "per cent, every byte, lower case": (text) => bytes(text, (hex) => `%${hex}`),
  "\\x, every byte": (text) => bytes(text, (hex) => `\\x${hex}`),
  "\\x, every byte, upper case": (text) => bytes(text, (hex) => `\\x${hex.toUpperCase()}`),
  "\\u, every character": (text) =>
    units(text, (unit) => `\\u${unit.toString(16).padStart(4, "0")}`),
  "\\u, upper case": (text) =>
    units(text, (unit) => `\\u${unit.toString(16).padStart(4, "0").toUpperCase()}`),
  octal: (text) =>
    bytes(text, (hex) => `\\${Number.parseInt(hex, 16).toString(8).padStart(3, "0")}`),
  JSON: (text) => JSON.stringify(text).slice(1, -1),
  "Go's JSON": (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`),
  "PHP's JSON": (text) => JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/"),
  URL: (text) => encodeURIComponent(text),
};
/** What shows every byte as a number: nothing is left to escape. */
const numbers: Readonly<Record<string, Encoder>> = {
  "spaced hex": (text) => bytes(text, (hex) => hex, " "),
  "spaced hex, upper case": (text) => bytes(text, (hex) => hex.toUpperCase(), " "),
  "hex with colons": (text) => bytes(text, (hex) => hex, ":"),
  "hex with colons, upper case": (text) => bytes(text, (hex) => hex.toUpperCase(), ":"),
  ".NET's hex": (text) => bytes(text, (hex) => hex.toUpperCase(), "-"),
  "C's array": (text) => bytes(text, (hex) => hex, ", 0x"),
  xxd: (text) => bytes(text, (hex) => hex).replaceAll(/.{4}(?=.)/g, "$& "),
  "Python's list": (text) => [...Buffer.from(text)].join(", "),
  "Go's slice": (text) => [...Buffer.from(text)].join(" "),
};
const utf16be = (text: string): Buffer => Buffer.from(text, "utf16le").swap16();
const base64s: Readonly<Record<string, Encoder>> = {
  "base64 in base64": (text) => base64(base64(text)),
  "base64 in base64, within something": (text) => base64(`{"auth":"${base64(`me:${text}`)}"}`),
  "base64url in base64": (text) => base64(Buffer.from(`x${text}`).toString("base64url")),
  "base64 of UTF-16": (text) => Buffer.from(text, "utf16le").toString("base64"),
  "base64 of UTF-16, within something": (text) =>
    Buffer.from(`a = "${text}"`, "utf16le").toString("base64"),
  "base64 of UTF-16BE": (text) => utf16be(text).toString("base64"),
};
const base64 = (text: string): string => Buffer.from(text).toString("base64");

const secrets = [
  "correct-horse/battery+9",
  `p"w'd<1>&2/3%41\\n$x`,
  "kälte€🔑 und Wärme",
  "a1b2c3d4",
] as const;
const all = Object.entries({ ...escapes, ...numbers });
const shownIn = all.flatMap(([name, encode]) =>
  secrets.map((secret) => ({ name, secret, encode })),
);

describe("a secret in a form that tools print", () => {
  test.each(shownIn)("is hidden at every cut: $name of $secret", ({ secret, encode }) => {
    const redactor = makeRedactor([secret]);
    const source = Buffer.from(`it is <${encode(secret)}> in it`);
    for (let cut = 0; cut <= source.length; cut++) {
      expect(streamed(redactor, cutAt(source, [cut]))).toBe("it is <***> in it");
    }
  });

  const inBase64 = Object.entries(base64s).flatMap(([name, encode]) =>
    secrets.map((secret) => ({ name, secret, encode })),
  );
  test.each(inBase64)("is hidden at every cut: $name of $secret", ({ secret, encode }) => {
    const redactor = makeRedactor([secret]);
    const encoded = encode(secret);
    const whole = redactor.redactText(`it is <${encoded}> in it`);
    expect(whole).toContain("***");
    expect(tellsOf(whole, secret)).toEqual([]);
    const source = Buffer.from(`it is <${encoded}> in it`);
    for (let cut = 0; cut <= source.length; cut++) {
      expect(streamed(redactor, cutAt(source, [cut]))).toBe(whole);
    }
  });

  test("is hidden when one program escapes what another has escaped, cut anywhere", () => {
    const encoders = Object.entries(escapes);
    const chain = fc.array(fc.constantFrom(...encoders), { minLength: 2, maxLength: 3 });
    fc.assert(
      fc.property(chain, fc.constantFrom(...secrets), fc.array(fc.nat()), (chain, secret, cuts) => {
        const shown = chain.reduce((text, [, encode]) => encode(text), `k="${secret}";`);
        const redactor = makeRedactor([secret]);
        const source = Buffer.from(`before ${shown} after`);
        const out = streamed(redactor, cutAt(source, cuts));
        expect(out).toBe(streamed(redactor, [source]));
        // As many escapes as there are levels are undone: nothing but the frame is left.
        const frame = chain.reduce((text, [, encode]) => encode(text), `k="`).length;
        const end = chain.reduce((text, [, encode]) => encode(text), `";`).length;
        expect(out.length).toBeLessThanOrEqual("before *** after".length + frame + end);
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    ["a1b2c3d4/äö", "100%a1b2c3d4/%C3%A4%C3%B6"],
    ["a1b2c3d4/äö", "%ua1b2c3d4/%C3%A4%C3%B6"],
    ["new day/pass", String.raw`C:\new day\/pass`],
    ["x2d<and more>", String.raw`\x2d\u003cand more\u003e`],
    ["12345<67>89", "&#12345&lt;67&gt;89 \\12345\\x3c67>89"],
  ])("is hidden behind a sign that makes an escape of its beginning: %s in %s", (secret, text) => {
    const redactor = makeRedactor([secret]);
    const source = Buffer.from(`it is ${text} in it`);
    const whole = streamed(redactor, [source]);
    expect(whole).toContain("***");
    expect(whole).not.toContain(secret.slice(2, 4));
    for (let cut = 0; cut <= source.length; cut++) {
      expect(streamed(redactor, cutAt(source, [cut]))).toBe(whole);
    }
  });

  test("is hidden where its beginning ends the output", () => {
    const stream = makeRedactor(["correct-horse-battery"]).stream();
    const out = [stream.push(Buffer.from("it is \\u0063orrect%2dho")), stream.end()];
    out.push(stream.push(Buffer.from(" and &#x63;orrect-ho&#x")), stream.end());
    out.push(stream.push(Buffer.from(" not &#x63;or&#x")), stream.end());
    expect(Buffer.concat(out).toString()).toBe("it is *** and ***&#x not &#x63;or&#x");
  });
});

describe("text with escapes", () => {
  const secret = "correct-horse/battery+9";
  test.each([
    String.raw`{"msg":"{\"a\":\"\\n\\u003cb\\u003e c:\\\\temp\\\\x\"}","path":"C:\\Users\\x"}`,
    "<a href=&quot;x?a=1&amp;b=2&quot;>it&#39;s &nbsp;&unknown; &#99999999; &;</a> R&D 100% a%zz%2",
    "GET /a%2Fb%20c?d=%E2%82%AC%41+e HTTP/1.1",
    `name = "" # '' "" '''' """" \`\` \`n`,
    "00000000: 7061 7373 776f 7264 20 69 73 de:ad:be:ef 112, 97, 115",
    String.raw`\d+\.\d+ \1 \0 \x4 \u12 \u{} \U0000 \q \\ \\\ \uD83D \ud83dx`,
  ])("without a secret stays as it is, cut anywhere: %s", (text) => {
    const redactor = makeRedactor([secret, "q'uo\"te \\ `x`", "lines\nand lines"]);
    const source = Buffer.from(`${text}\n`);
    for (let cut = 0; cut <= source.length; cut++) {
      expect(streamed(redactor, cutAt(source, [cut]))).toBe(source.toString("latin1"));
    }
  });

  test("is what it was where only a part of it looks like a secret", () => {
    const { redactText } = makeRedactor([secret]);
    const text = "correct%2Dhorse correct-horse&sol;batter correct\\u002dhorse";
    expect(redactText(text)).toBe(text);
  });

  test("is not held back but for what may begin a secret", () => {
    const stream = makeRedactor([secret]).stream();
    const line = `{"a":"b\\n","c":"\\u003cd\\u003e\\/e%2Ff&amp;"}\n`;
    for (let nth = 0; nth < 5; nth++) {
      expect(stream.push(Buffer.from(line)).toString()).toBe(line);
    }
  });
});

/** What of the secret can be read from base64 that is left over. */
function tellsOf(out: string, secret: string): string[] {
  const runs = out.split("***").flatMap((part) => part.match(/[\w+/=-]{4,}/g) ?? []);
  const read = runs.flatMap((run) => [
    Buffer.from(run, "base64").toString("utf8"),
    Buffer.from(Buffer.from(run, "base64").toString("latin1"), "base64").toString("utf8"),
    Buffer.from(run, "base64").toString("utf16le"),
  ]);
  const pieces = Array.from(secret, (_, at) => secret.slice(at, at + 5)).filter(
    (piece) => piece.length === 5,
  );
  return pieces.filter((piece) => read.some((text) => text.includes(piece)));
}

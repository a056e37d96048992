import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  jobToken,
  jobTokenParts,
  mintJobSecret,
  mintToken,
  parseToken,
  tokenHint,
  tokenPattern,
} from "./token.ts";

const kinds = ["pat", "sa", "rt", "boot", "st", "it"] as const;

describe("a token", () => {
  test.each(kinds)("of kind %s tells its kind and passes its own checksum", (kind) => {
    const token = mintToken(kind);
    expect(token).toMatch(new RegExp(`^svc_${kind}_[0-9A-Za-z]{36}$`));
    expect(parseToken(token)).toEqual({ kind });
  });

  test("ends in the crc32 of what stands before it, in base 62", () => {
    const token = mintToken("pat");
    const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const value = Array.from(token.slice(-6)).reduce(
      (sum, char) => sum * 62 + digits.indexOf(char),
      0,
    );
    expect(value).toBe(crc32(token.slice(0, -6)));
  });

  test("with one character changed is no token", () => {
    fc.assert(
      fc.property(fc.nat(35), fc.constantFrom(..."09azAZ"), (at, char) => {
        const token = mintToken("rt");
        const start = token.length - 36 + at;
        const changed = token.slice(0, start) + char + token.slice(start + 1);
        expect(parseToken(changed) === undefined).toBe(changed !== token);
      }),
    );
  });

  test.each(["job", "run"] as const)("of a %s names its job", (kind) => {
    const jobId = "job_01k9zq5v3t8w2x4y6z8a0b2c4d";
    const secret = mintJobSecret();
    const token = jobToken(jobId, secret, kind);
    expect(parseToken(token)).toEqual({ kind });
    expect(jobTokenParts(token)).toEqual({ jobId, secret });
  });

  test("of another shape is no token, whatever the text", () => {
    fc.assert(fc.property(fc.string(), (text) => parseToken(text) === undefined));
    expect(parseToken(`${mintToken("pat")}x`)).toBeUndefined();
    expect(parseToken(mintToken("pat").replace("svc_pat", "svc_xyz"))).toBeUndefined();
  });

  test("is hinted at by prefix and last four, and found in any text", () => {
    const token = mintToken("boot");
    expect(tokenHint(token)).toBe(`svc_boot_…${token.slice(-4)}`);
    expect(`Bearer ${token}, and more`.replaceAll(tokenPattern, "svc_…")).toBe(
      "Bearer svc_…, and more",
    );
  });
});

import { describe, expect, test } from "vitest";
import { parseExactly } from "../../shared/parse-exactly.ts";
import { redactValue } from "./redact-value.ts";

describe("a value that is shown", () => {
  test.each<[string, unknown, unknown]>([
    ["a name", { password: "x" }, { password: "(sensitive)" }],
    ["a list below a name", { passwords: ["x"] }, { passwords: "(sensitive)" }],
    ["an object below a name", { secrets: { a: "x" } }, { secrets: "(sensitive)" }],
    ["a number below a name", { api_key: 12 }, { api_key: "(sensitive)" }],
    ["a name within", [{ a: { privateKey: "x" } }], [{ a: { privateKey: "(sensitive)" } }]],
    [
      "a name beside its value",
      { env: [{ name: "DB_PASSWORD", value: "x" }] },
      { env: [{ name: "DB_PASSWORD", value: "(sensitive)" }] },
    ],
    ["JSON in a string", { a: '{"token":"x","b":1}' }, { a: '{"token":"(sensitive)","b":1}' }],
    ["JSON in JSON", '["{\\"secret\\":\\"x\\"}"]', '["{\\"secret\\":\\"(sensitive)\\"}"]'],
    ["a URL's password", "at postgres://u:p@ss@h/db", "at postgres://u:(sensitive)@h/db"],
    ["an assignment", "Server=h;Password=x;Port=1", "Server=h;Password=(sensitive);Port=1"],
    ["a private key", "-----BEGIN RSA PRIVATE KEY-----\nMII…", "(sensitive)"],
  ])("has nothing of %s", (_, value, shown) => {
    expect(redactValue(value)).toEqual(shown);
  });

  test.each<[string, unknown]>([
    ["flags and what is empty", { secret_enabled: true, passwords: [], token: "", secret: null }],
    ["URLs without passwords", "https://example.com:8443/a?b=c"],
    ["names of secrets", "arn:aws:secretsmanager:eu-west-1:1:name"],
    ["JSON without secrets, as it is spelt", '{ "a" : 1.0 }'],
    ["what looks like JSON only", "{{ template }}"],
  ])("has %s as before", (_, value) => {
    expect(redactValue(value)).toEqual(value);
  });

  test("has whole numbers as they are written, in JSON within a string, too", () => {
    const text = '{"a":12345678901234567890,"token":"x"}';
    const shown = redactValue(parseExactly(`{"b":${text},"c":${JSON.stringify(text)}}`));
    const inner = '{"a":12345678901234567890,"token":"(sensitive)"}';
    expect(JSON.stringify(shown)).toBe(`{"b":${inner},"c":${JSON.stringify(inner)}}`);
  });

  test("is read in one go, whatever is in it", () => {
    const text = "a://b:".repeat(100_000) + "password=".repeat(100_000);
    expect(String(redactValue(text)).length).toBeGreaterThan(100_000);
  });
});

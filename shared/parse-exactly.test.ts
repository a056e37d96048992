import { describe, expect, test } from "vitest";
import { isKeptNumber, parseExactly } from "./parse-exactly.ts";

describe("JSON that is parsed exactly", () => {
  test.each([
    '{"a":12345678901234567890,"b":[-9007199254740993,1]}',
    "[\n  9007199254740993\n]",
    `{"a":1${"0".repeat(400)}}`,
  ])("is written again with the same whole numbers: %s", (text) => {
    expect(JSON.stringify(parseExactly(text))).toBe(text.replaceAll(/\s/g, ""));
  });

  test.each([
    '{"a":9007199254740991,"b":-1.5e300,"c":[0.1,1234567890123456.5]}',
    '{"a":"12345678901234567890","b":": 12345678901234567890,","__proto__":{"c":1}}',
    "{}",
  ])("is what JSON.parse makes of it, where nothing is rounded: %s", (text) => {
    expect(parseExactly(text)).toEqual(JSON.parse(text));
  });

  test("has numbers that are kept only where it has to", () => {
    const [large, small] = parseExactly("[12345678901234567890,1]") as [unknown, unknown];
    expect([isKeptNumber(large), isKeptNumber(small)]).toEqual([true, false]);
  });
});

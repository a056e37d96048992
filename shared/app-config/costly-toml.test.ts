import fc from "fast-check";
import { type AST, parseTOML, traverseNodes } from "toml-eslint-parser";
import { describe, expect, test } from "vitest";
import { walks } from "../../test/support/model/walks.ts";
import { configLimits } from "./config-fault.ts";
import { findCostlyToml } from "./costly-toml.ts";

const parts = (count: number, part = "a"): string => Array(count).fill(part).join(".");

describe("a name of too many parts", () => {
  test.each([
    ["a table's", (name: string) => `[${name}]\n`],
    ["a list's", (name: string) => `[[${name}]]\n`],
    ["a member's", (name: string) => `${name} = 1\n`],
    ["a member's in a table", (name: string) => `x = { y = 1, ${name} = 1 }\n`],
    ["a member's in a list", (name: string) => `x = [\n  { ${name} = 1 },\n]\n`],
  ])("is refused before it is parsed: %s", (_, textOf) => {
    for (const part of ["a", '"a.b"', "'a'"]) {
      expect(findCostlyToml(textOf(parts(configLimits.nameParts, part)))).toBeUndefined();
      expect(findCostlyToml(textOf(parts(40_000, part)))).toMatchObject({
        code: "config_too_costly",
        detail: "has a name of 40000 parts: at most 32",
      });
    }
  });

  test("is told where it begins", () => {
    const text = `# a\r\nb = '''\n'\n'''\n\n  ${parts(33, "a . b")} = 1\n`;
    expect(findCostlyToml(text)).toMatchObject({
      place: { line: 6, column: 3 },
      detail: "has a name of 66 parts: at most 32",
    });
  });
});

test("values in one another, and long texts, are refused before they are parsed", () => {
  for (const [opens, closes] of [
    ["[", "]"],
    ["{a=", "}"],
    ["[{a=[", "]}]"],
  ] as const) {
    const text = `a = ${opens.repeat(40_000)}1${closes.repeat(40_000)}\n`;
    expect(findCostlyToml(text)).toMatchObject({
      code: "bad_value",
      detail: "is too deep: at most 32 levels",
    });
  }
  for (const [begin, end] of [
    ['"', '"'],
    ["'", "'"],
    ['"""', '"""'],
    ["", ""],
  ] as const) {
    expect(findCostlyToml(`a = ${begin}${"1".repeat(65_536)}${end}\n`)).toBeUndefined();
    expect(findCostlyToml(`a = ${begin}${"1".repeat(65_537)}${end}\n`)).toMatchObject({
      code: "config_too_costly",
    });
  }
  expect(findCostlyToml(`a = "${"\\u0041".repeat(65_536)}"\n`)).toBeUndefined();
});

/** As much of TOML's signs as lead from one of its texts into another. */
const marks = ['"', "'", '"""', "'''", "\\", "#", "\n", "\r", "\r\n", " ", "\t", "\\u0041"];
const signs = [".", "=", ",", "[", "]", "{", "}", "a", "b = ", "1.5", "1979-05-27T07:32:00.5Z"];
const begins = [
  "c = '''\n",
  'd = """',
  "e = [\n",
  "f = {",
  "\n[t]\n",
  "\n[[l]]\n",
  '"x.y"',
  "'z.w'",
];
const piece = fc.constantFrom(...marks, ...signs, ...begins);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));

test("the parser has no name of more parts than were counted, wherever it stands", () => {
  const long = parts(configLimits.nameParts + 1);
  let taken = 0;
  fc.assert(
    fc.property(text, text, (before, after) => {
      const whole = `${before}\n${long} = 1\n${after}`;
      const most = mostParts(whole);
      if (most === undefined) return;
      taken++;
      expect(findCostlyToml(whole) !== undefined).toBe(most > configLimits.nameParts);
    }),
    walks(500),
  );
  expect(taken).toBeGreaterThan(5);
});

/** Of the longest name that the parser finds; undefined for what it does not take. */
function mostParts(whole: string): number | undefined {
  let most = 0;
  try {
    traverseNodes(parseTOML(whole, { tomlVersion: "1.0.0" }), {
      enterNode: (node: AST.TOMLNode) => {
        if (node.type === "TOMLKey") most = Math.max(most, node.keys.length);
      },
      leaveNode: () => {},
    });
  } catch {
    return undefined;
  }
  return most;
}

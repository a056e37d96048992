import { expect, test } from "vitest";
import { indentJson } from "./indent-json.ts";

test("a JSON text keeps its meaning and every digit", () => {
  const text = `{"a":[1,2.50,{}],"b":{"c":"x, \\"y\\": {","d":[]},"e":12345678901234567890}`;
  const { shown, isCut } = indentJson(text, 1000);
  expect(isCut).toBe(false);
  expect(JSON.parse(shown)).toEqual(JSON.parse(text));
  expect(shown).toContain('"e": 12345678901234567890');
  expect(shown.split("\n").slice(0, 4)).toEqual(["{", '  "a": [', "    1,", "    2.50,"]);
  const whole = JSON.stringify({ a: [[], {}, [1, { b: "c" }]], d: null }, undefined, 2);
  expect(indentJson(whole.replaceAll(/\s/g, ""), 1000).shown).toBe(whole);
});

test("what is no JSON is shown all the same", () => {
  expect(indentJson("}}] not, json", 100).shown).toContain("not");
});

test.each([
  ["many members", `[${"0,".repeat(2 ** 20)}0]`],
  ["many levels", "[".repeat(2 ** 20)],
  ["a long string", `"${"\\n".repeat(2 ** 20)}"`],
  ["white space", " ".repeat(2 ** 21)],
])("of %s no more is read than is shown", (_, text) => {
  const whole = indentJson(text.slice(0, 1000), 1000).shown;
  expect(indentJson(text, 1000)).toEqual({ shown: whole, isCut: true });
});

test("a short text that has grown too long is cut, too", () => {
  const { shown, isCut } = indentJson("[".repeat(500), 1000);
  expect({ length: shown.length, isCut }).toEqual({ length: 1000, isCut: true });
});

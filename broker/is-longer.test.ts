import { expect, test } from "vitest";
import { isLonger } from "./is-longer.ts";

test.each([
  ["a text of as many letters", "abcd", false],
  ["a longer one", "abcde", true],
  ["texts in a list", ["ab", "cd"], true],
  ["a name of a member", { abc: 1 }, true],
  ["a short one", { a: "b" }, false],
  ["many values without letters", [1, 2, 3, null], true],
])("%s", (_, value, expected) => {
  expect(isLonger(value, 4)).toBe(expected);
});

test("no more is looked at than that", () => {
  const list: unknown[] = ["x".repeat(10)];
  Object.defineProperty(list, "1", {
    enumerable: true,
    get: () => {
      throw new Error("it was looked at");
    },
  });
  expect(isLonger(list, 5)).toBe(true);
});

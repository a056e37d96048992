import { expect, test } from "vitest";
import { cutText } from "./cut-text.ts";

test.each([
  ["", ""],
  ["four", "four"],
  ["fives", "five"],
  ["abc😀", "abc"],
  ["ab😀d", "ab😀"],
  ["ab😀", "ab😀"],
  ["😀😀😀", "😀😀"],
])("a text is cut between two characters, never within one: %s", (given, kept) => {
  expect(cutText(4).parse(given)).toBe(kept);
});

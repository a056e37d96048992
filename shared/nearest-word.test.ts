import { expect, test } from "vitest";
import { nearestWord } from "./nearest-word.ts";

const known = ["job create", "job cancel", "job list", "runner list", "migrate up"];

test.each([
  ["job crate", "job create"],
  ["job lsit", "job list"],
  ["jobs list", "job list"],
  ["runer list", "runner list"],
  ["migrate", "migrate up"],
])("%s means %s", (given, meant) => {
  expect(nearestWord(given, known)).toBe(meant);
});

test("a word that is near nothing means nothing", () => {
  expect(nearestWord("frobnicate", known)).toBeUndefined();
  expect(nearestWord("", known)).toBeUndefined();
});

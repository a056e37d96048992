import fc from "fast-check";
import { expect, test } from "vitest";
import { PartFinder } from "./part-finder.ts";

const filler = "~".repeat(2 ** 20);
const counted = (parts: readonly string[], count: (letters: number) => void) =>
  new PartFinder(parts, { count, mostOneByOne: 0 });
const letter = fc.constantFrom("a", "b", "é");
const any = (most: number) =>
  fc.array(letter, { minLength: 1, maxLength: most }).map((all) => all.join(""));

test("those parts are found that are in a text, wherever they stand in one another", () => {
  const parts = fc.array(fc.oneof(any(4), any(20), any(40)), { maxLength: 12 });
  fc.assert(
    fc.property(parts, fc.array(any(60), { maxLength: 3 }), (given, around) => {
      const text = [...around, ...given.slice(0, 2)].join("");
      const wanted = new Set(given.filter((part) => text.includes(part)));
      expect(new Set(new PartFinder(given).partsIn(text))).toEqual(wanted);
      const atOnce = new PartFinder(given, { mostOneByOne: 0 });
      expect(new Set(atOnce.partsIn(text))).toEqual(wanted);
      expect(atOnce.isAnyIn(text)).toBe(wanted.size > 0);
    }),
    { numRuns: 2_000 },
  );
});

test("each letter is looked at once, however many parts there are", () => {
  let looked = 0;
  const parts = Array.from({ length: 1000 }, (_, at) => `secret ${at} ${"x".repeat(65_000)}`);
  const finder = counted(parts, (letters) => (looked += letters));
  expect([...finder.partsIn(`${filler}secret 7`)]).toEqual([]);
  expect(looked).toBeLessThan(filler.length * 1.3);
});

test("a long part that begins everywhere is looked for once", () => {
  let looked = 0;
  const part = `${"~".repeat(60_000)}x`;
  const finder = counted([part, "none of it"], (letters) => (looked += letters));
  expect(finder.isAnyIn(filler)).toBe(false);
  expect(looked).toBeLessThan(filler.length * 2.1);
});

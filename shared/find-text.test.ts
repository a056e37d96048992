import fc from "fast-check";
import { expect, test } from "vitest";
import { finderOf, includesText, replaceEach, splitAt } from "./find-text.ts";

const letters = (max: number) =>
  fc.array(fc.constantFrom("a", "b"), { maxLength: max }).map((all) => all.join(""));

test("a part is found where the engine finds it, however long it is", () => {
  fc.assert(
    fc.property(letters(8), letters(40), fc.integer({ min: 0, max: 50 }), (unit, text, from) => {
      const part = `${"ab".repeat(150)}${unit}`;
      const whole = `${text}${part}${text}${"ab".repeat(149)}${part}${unit}`;
      expect(finderOf(part)(whole, from)).toBe(whole.indexOf(part, from));
      expect(splitAt(whole, part)).toEqual(whole.split(part));
      expect(replaceEach(whole, part, "$&")).toBe(whole.split(part).join("$&"));
      expect(includesText(whole, `${part}c`)).toBe(false);
    }),
  );
});

test("what is made to be looked for at every place is looked through once", () => {
  let looked = 0;
  const half = "a".repeat(30_000);
  const part = `${half}b${half}`;
  const text = "a".repeat(200_000);
  const counted = Object.assign(new String(text), {
    charCodeAt(at: number) {
      looked++;
      return text.charCodeAt(at);
    },
  }) as unknown as string; // as a text, which counts who looks at it
  expect(finderOf(part)(counted, 0)).toBe(-1);
  expect(looked).toBe(text.length);
});

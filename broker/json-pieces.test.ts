import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonPieces } from "./json-pieces.ts";

const long = "x".repeat(70_000);

test("the pieces together are the JSON of any value", () => {
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom<unknown>(long, null, 1, true, "é\n\ud800", undefined),
      fc.array(tie("any"), { maxLength: 3 }),
      fc.dictionary(fc.string(), tie("any"), { maxKeys: 3 }),
    ),
  })).any;
  fc.assert(
    fc.property(value, (one) => {
      expect([...jsonPieces(one)].join("")).toBe(JSON.stringify(one) ?? "null");
    }),
  );
});

test("no piece is much longer than the longest text", () => {
  const list = Array.from({ length: 100 }, (_, at) => ({ at, steps: ["y".repeat(30_000), long] }));
  const lengths = [...jsonPieces({ items: list })].map(({ length }) => length);
  expect(lengths.length).toBeGreaterThan(100);
  expect(Math.max(...lengths)).toBeLessThan(75_000);
});

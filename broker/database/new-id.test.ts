import { expect, test } from "vitest";
import { newId, newRandomId } from "./new-id.ts";

const shape = /^job_[0-9a-hjkmnp-tv-z]{26}$/;

test("an id is its prefix and 26 characters of Crockford's alphabet", () => {
  expect(newId("job")).toMatch(shape);
  expect(newRandomId("job")).toMatch(shape);
});

test("ids made one after another sort in that order, also within one millisecond", () => {
  const ids = Array.from({ length: 50_000 }, () => newId("job"));
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);
});

test("random ids share no beginning that tells when they were made", () => {
  const beginnings = new Set(Array.from({ length: 200 }, () => newRandomId("prc").slice(4, 8)));
  expect(beginnings.size).toBeGreaterThan(190);
});

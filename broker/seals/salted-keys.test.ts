import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { saltedKeys } from "./salted-keys.ts";

test("a salt is left for another one before its numbers run out", () => {
  const keys = saltedKeys(randomBytes(32));
  const first = keys.next();
  expect(first.count).toBe(0);
  for (let count = 1; count < 2 ** 24; count++) keys.next();
  const second = keys.next();
  expect(second.count).toBe(0);
  expect(second.salt.equals(first.salt)).toBe(false);
  expect(second.key.equals(first.key)).toBe(false);
  expect(keys.ofSalt(first.salt).equals(first.key)).toBe(true);
});

test("the keys of thousands of salts are forgotten and made anew", () => {
  const keys = saltedKeys(randomBytes(32));
  const { salt, key } = keys.next();
  for (let times = 0; times < 5000; times++) keys.ofSalt(randomBytes(16));
  expect(keys.ofSalt(salt)).not.toBe(key);
  expect(keys.ofSalt(salt).equals(key)).toBe(true);
});

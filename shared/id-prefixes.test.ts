import { expect, test } from "vitest";
import { idPrefixes } from "./id-prefixes.ts";

test("a prefix of ids is three letters, and that of one thing", () => {
  const things = Object.values(idPrefixes);
  expect(new Set(things).size).toBe(things.length);
  for (const prefix of Object.keys(idPrefixes)) expect(prefix).toMatch(/^[a-z]{3}$/);
});

import { expect, test } from "vitest";
import { idPrefixes } from "./id-prefixes.ts";

test("a prefix of ids is three letters, and that of one thing", () => {
  const things = Object.values(idPrefixes);
  for (const name of ["kind", "words"] as const)
    expect(new Set(things.map((thing) => thing[name])).size).toBe(things.length);
  for (const { kind } of things) expect(kind).toMatch(/^[a-z]+(?:_[a-z]+)*$/);
  for (const prefix of Object.keys(idPrefixes)) expect(prefix).toMatch(/^[a-z]{3}$/);
});

import { describe, expect, test } from "vitest";
import { growingCache } from "./growing-cache.ts";

describe("a growing cache", () => {
  test("keeps its bound, and drops what was not used for longest", () => {
    const cache = growingCache<string, number>(3);
    for (const [at, key] of ["a", "b", "c"].entries()) cache.set(key, at);
    expect(cache.get("a")).toBe(0);
    cache.set("d", 3);
    expect([...cache.keys()].toSorted()).toEqual(["a", "c", "d"]);
    expect(cache.size).toBe(3);
  });

  test("counts an entry that is set again once", () => {
    const cache = growingCache<string, number>(2);
    cache.set("a", 0).set("b", 1);
    for (let turn = 0; turn < 5; turn++) cache.set("b", turn);
    expect([...cache.keys()].toSorted()).toEqual(["a", "b"]);
  });

  test("has room again for what was deleted", () => {
    const cache = growingCache<string, number>(2);
    cache.set("a", 0).set("b", 1);
    cache.delete("a");
    cache.set("c", 2);
    expect([...cache.keys()].toSorted()).toEqual(["b", "c"]);
  });

  test("forgets an entry whose time is over, and no other", async () => {
    const cache = growingCache<string, true>(2, { ttl: 60_000 });
    cache.set("long", true).set("short", true, { ttl: 1 });
    await expect.poll(() => cache.get("short")).toBeUndefined();
    expect(cache.get("long")).toBe(true);
  });
});

import { expect, test } from "vitest";
import { OrgByteCache } from "./org-byte-cache.ts";

function setup() {
  const cache = new OrgByteCache<string>({ mostBytes: 100, mostBytesOfOrg: 60 });
  const keep = (org: string, key: string, bytes: number) =>
    cache.set(org, key, { value: `${org} ${key}`, bytes });
  const has = (org: string, ...keys: string[]) =>
    keys.filter((key) => cache.get(org, key) === `${org} ${key}`).join("");
  return { cache, keep, has };
}

test("an org's things make room for its own newer ones, in the order in which they were asked for", () => {
  const { cache, keep, has } = setup();
  keep("other", "x", 40);
  keep("a", "1", 20);
  keep("a", "2", 20);
  keep("a", "3", 20);
  expect(has("a", "1")).toBe("1");
  keep("a", "4", 10);
  expect(has("a", "1", "2", "3", "4")).toBe("134");
  expect(has("other", "x")).toBe("x");
  expect(cache.bytes).toBe(90);
});

test("beyond the whole, what goes is of the org that asked the longest ago", () => {
  const { cache, keep, has } = setup();
  keep("a", "1", 50);
  keep("b", "1", 40);
  expect(has("a", "1")).toBe("1");
  keep("c", "1", 30);
  expect([has("a", "1"), has("b", "1"), has("c", "1")]).toEqual(["1", "", "1"]);
  expect(cache.bytes).toBe(80);
});

test("what is larger than an org's share is not kept, nor what it was before", () => {
  const { cache, keep, has } = setup();
  keep("a", "1", 10);
  keep("a", "1", 61);
  expect(has("a", "1")).toBe("");
  expect(cache.bytes).toBe(0);
  keep("a", "1", 60);
  keep("a", "1", 30);
  expect(cache.bytes).toBe(30);
});

import { describe, expect, test } from "vitest";
import { compareVersions, parseVersion, parseVersionRange } from "./version-range.ts";

const tags =
  "0.0.3 0.2.9 0.3.0 1.0.0 1.2.0 1.2.9 1.3.0-rc.1 v1.3.0 1.10.0 2.0.0-beta 2.0.0 latest".split(" ");

function meant(range: string): string {
  const isMeant = parseVersionRange(range);
  const found = tags.filter((tag) => {
    const version = parseVersion(tag);
    return version !== undefined && isMeant?.(version);
  });
  return found.join(" ");
}

describe("a range of versions", () => {
  test.each([
    ["^1.2", "1.2.0 1.2.9 v1.3.0 1.10.0"],
    ["^0.2.1", "0.2.9"],
    ["^0.0.3", "0.0.3"],
    ["~1.2.1", "1.2.9"],
    ["~1", "1.0.0 1.2.0 1.2.9 v1.3.0 1.10.0"],
    [">=1.2 <1.10", "1.2.0 1.2.9 v1.3.0"],
    ["> 1.3.0, < 3", "1.10.0 2.0.0"],
    [">1", "2.0.0"],
    ["<=1.2", "0.0.3 0.2.9 0.3.0 1.0.0 1.2.0 1.2.9"],
    ["1.2.x || 2", "1.2.0 1.2.9 2.0.0"],
    ["1.2 - 1.3", "1.2.0 1.2.9 v1.3.0"],
    ["v1.3.0", "v1.3.0"],
    [">=1.3.0-rc.0 <1.4", "1.3.0-rc.1 v1.3.0"],
    ["*", "0.0.3 0.2.9 0.3.0 1.0.0 1.2.0 1.2.9 v1.3.0 1.10.0 2.0.0"],
  ])("%s means %s", (range, found) => {
    expect(meant(range)).toBe(found);
  });

  test.each(["newest", "1.2.3.4", ">=", "^a", "1 2 -"])("is not %s", (text) => {
    expect(parseVersionRange(text)).toBeUndefined();
  });
});

test("versions are ordered as Semantic Versioning has it", () => {
  const order =
    "1.0.0-1 1.0.0-2 1.0.0-10 1.0.0-alpha 1.0.0-alpha.1 1.0.0-beta 1.0.0 1.0.1 1.2.0".split(" ");
  const versions = order.map((text) => ({
    text,
    version: parseVersion(text) ?? { numbers: [0, 0, 0] as const, before: [] },
  }));
  const sorted = versions.toReversed().toSorted((a, b) => compareVersions(a.version, b.version));
  expect(sorted.map(({ text }) => text)).toEqual(order);
});

import { describe, expect, test } from "vitest";
import { compareVersions, isVersion } from "./compare-versions.ts";

describe("versions", () => {
  test.each(["0.1.0", "1.20.300", "1.4.0-rc.1"])("%s is one", (text) => {
    expect(isVersion(text)).toBe(true);
  });

  test.each(["", "1", "1.2", "../1.2.3", "1.2.3/..", "1.2.3-..", "v1.2.3", "1.2.3 ", "latest"])(
    "%j is none",
    (text) => {
      expect(isVersion(text)).toBe(false);
    },
  );

  test("are ordered by their numbers, and a release is newer than its previews", () => {
    const ordered = ["0.9.9", "1.2.0-rc.2", "1.2.0-rc.10", "1.2.0", "1.10.0"];
    expect(ordered.toReversed().sort(compareVersions)).toEqual(ordered);
    expect(compareVersions("1.2.0", "1.2.0")).toBe(0);
  });
});

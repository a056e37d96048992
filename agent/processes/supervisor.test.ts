import { describe, expect, test } from "vitest";
import { boundOutput } from "./supervisor.ts";

describe("what may wait to be read", () => {
  test("is 16 MiB a child where there is room", () => {
    expect(boundOutput(2 ** 34)).toEqual({ readsPerSegment: 1_024, aheadKilobytes: 12 * 1_024 });
  });

  test("lets eight children fit into a small run directory", () => {
    for (const free of [2 ** 22, 2 ** 26, 2 ** 27, 10 ** 8]) {
      const { readsPerSegment, aheadKilobytes } = boundOutput(free);
      expect(8 * (aheadKilobytes * 1_024 + readsPerSegment * 4_096)).toBeLessThanOrEqual(free);
    }
  });

  test("is never nothing", () => {
    expect(boundOutput(0)).toEqual({ readsPerSegment: 16, aheadKilobytes: 192 });
  });
});

import { describe, expect, test } from "vitest";
import { readCpuLine, useBetween } from "./machine-use.ts";

describe("the machine's use", () => {
  test("what is neither idle nor ours is foreign, the kernel's and the neighbours' time included", () => {
    const stat = (ticks: string) => readCpuLine(`cpu  ${ticks} 0 0\ncpu0 1 2 3\n`);
    const before = { ...stat("100 100 100 100 100 0 0 0"), ownS: 1 };
    const after = { ...stat("200 300 200 250 150 0 100 200"), ownS: 3 };
    // 9 s in all, of which 2 s idle or waiting for the disk and 2 s ours.
    const { idle, foreign } = useBetween(before, after);
    expect(idle).toBeCloseTo(2 / 9);
    expect(foreign).toBeCloseTo(5 / 9);
  });

  test("rounding makes no negative share", () => {
    const before = { totalS: 0, idleS: 0, ownS: 0 };
    expect(useBetween(before, { totalS: 2, idleS: 0, ownS: 2.01 }).foreign).toBe(0);
  });
});

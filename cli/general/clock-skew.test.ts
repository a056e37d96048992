import { describe, expect, test } from "vitest";
import { clockSkewS } from "./clock-skew.ts";

const noon = Date.parse("2026-03-01T12:00:00Z");
const between = (startMs: number, endMs: number) => ({
  startMs: noon + startMs,
  endMs: noon + endMs,
});

describe("a clock that tells whole seconds", () => {
  test.each([
    ["at once", 0, 0],
    ["late in its second", 999, 999],
    ["from its second into the next", 900, 1_100],
    ["by an answer that took ten seconds to come", 0, 10_000],
    ["by a request that took ten seconds to arrive", -10_000, 0],
    ["a second ahead", -1_000, -1_000],
    ["a second behind", 1_999, 1_999],
  ])("agrees when it told it %s", (_how, startMs, endMs) => {
    expect(clockSkewS(noon, between(startMs, endMs))).toBe(0);
  });

  test.each([
    [2, "ahead", -1_001, -1_001],
    [60, "ahead", -70_000, -60_000],
    [-2, "behind", 2_000, 2_010],
    [-60, "behind", 60_999, 70_000],
  ])("is %i s apart at least when it is %s", (skewS, _way, startMs, endMs) => {
    expect(clockSkewS(noon, between(startMs, endMs))).toBe(skewS);
  });
});

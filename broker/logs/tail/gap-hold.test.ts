import { expect, test } from "vitest";
import type { LogRecord } from "../store/log-record.ts";
import { makeGapHold } from "./gap-hold.ts";

const record = (position: number, notice?: "missing"): LogRecord => ({
  position,
  atUs: 0,
  severity: 9,
  body: "",
  resource: {},
  attributes: {},
  notice,
});
const behindGap = (from: number, to: number) => ({
  records: [record(from, "missing"), record(to)],
  next: to + 1,
  bytes: 0,
});

test("gaps that are open at the same time are waited for together", () => {
  let nowMs = 0;
  const gaps = makeGapHold(1, () => nowMs);
  gaps.saw(10);
  nowMs = 500;
  gaps.saw(20);
  nowMs = 1999;
  expect(gaps.holds(behindGap(1, 3))).toBe(true);
  nowMs = 2000;
  expect(gaps.holds(behindGap(1, 3))).toBe(false);
  expect(gaps.holds(behindGap(4, 9))).toBe(false);
  expect(gaps.holds(behindGap(12, 15))).toBe(true);
  nowMs = 2500;
  expect(gaps.holds(behindGap(12, 15))).toBe(false);
});

test("a gap that is filled in part is waited for no longer", () => {
  let nowMs = 0;
  const gaps = makeGapHold(1, () => nowMs);
  gaps.saw(10);
  nowMs = 1500;
  expect(gaps.holds(behindGap(1, 9))).toBe(true);
  nowMs = 2100;
  expect(gaps.holds(behindGap(5, 9))).toBe(false);
});

test("nothing is held where nothing is missing", () => {
  const gaps = makeGapHold(10, () => 0);
  gaps.saw(20);
  expect(gaps.holds({ records: [record(10), record(11)], next: 12, bytes: 0 })).toBe(false);
});

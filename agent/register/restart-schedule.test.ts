import { expect, test } from "vitest";
import { restartAtMs } from "./restart-schedule.ts";

const hourS = 3_600;

test("a restart comes up to a tenth of the time early, always at the same moment", () => {
  const dirs = Array.from({ length: 50 }, (_, nth) => `/var/lib/agent-${nth}`);
  const all = dirs.map((dir) => restartAtMs(0, hourS, dir) ?? 0);
  for (const atMs of all) {
    expect(atMs).toBeGreaterThan(hourS * 900 - 1);
    expect(atMs).toBeLessThanOrEqual(hourS * 1_000);
  }
  expect(new Set(all).size).toBeGreaterThan(40);
  expect(dirs.map((dir) => restartAtMs(0, hourS, dir))).toEqual(all);
});

test("without a longest life there is none", () => {
  expect(restartAtMs(0, 0, "/var/lib/agent")).toBeUndefined();
});

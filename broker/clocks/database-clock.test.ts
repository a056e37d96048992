import { expect, test } from "vitest";
import { makeDatabaseClock } from "./database-clock.ts";

const hourMs = 3_600_000;
const aheadMs = (clock: { now: () => Date }): number => clock.now().getTime() - Date.now();

test("is this host's until it has heard, and then the database's", async () => {
  const clock = makeDatabaseClock();
  expect(Math.abs(aheadMs(clock))).toBeLessThan(60_000);
  await clock.learn(async () => await Promise.resolve(new Date(Date.now() + hourMs)));
  expect(Math.abs(aheadMs(clock) - hourMs)).toBeLessThan(60_000);
});

test("keeps what it knows when it cannot be read", async () => {
  const clock = makeDatabaseClock();
  await clock.learn(async () => await Promise.resolve(new Date(Date.now() - hourMs)));
  await expect(clock.learn(() => Promise.reject(new Error("away")))).rejects.toThrow("away");
  expect(Math.abs(aheadMs(clock) + hourMs)).toBeLessThan(60_000);
});

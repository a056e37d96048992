import { describe, expect, test } from "vitest";
import { makeBell } from "./notifier.ts";

describe("a bell", () => {
  test("wakes everybody who waits", async () => {
    const bell = makeBell();
    const waiting = Promise.all([bell.after(0, 60_000), bell.after(0, 60_000)]);
    bell.ring();
    await expect(waiting).resolves.toHaveLength(2);
  });

  test("does not let wait who has missed a ring", async () => {
    const bell = makeBell();
    const seen = bell.rings();
    bell.ring();
    await expect(bell.after(seen, 2 ** 30)).resolves.toBeUndefined();
  });

  test("gives up when the time is over", async () => {
    await expect(makeBell().after(0, 1)).resolves.toBeUndefined();
  });
});

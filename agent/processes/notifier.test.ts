import { describe, expect, test } from "vitest";
import { makeNotifier } from "./notifier.ts";

describe("a notifier", () => {
  test("wakes everybody who waits", async () => {
    const notifier = makeNotifier();
    const waiting = Promise.all([notifier.after(0, 60_000), notifier.after(0, 60_000)]);
    notifier.notify();
    await expect(waiting).resolves.toHaveLength(2);
  });

  test("does not let wait who has missed a notify", async () => {
    const notifier = makeNotifier();
    const seen = notifier.count();
    notifier.notify();
    await expect(notifier.after(seen, 2 ** 30)).resolves.toBeUndefined();
  });

  test("gives up when the time is over", async () => {
    await expect(makeNotifier().after(0, 1)).resolves.toBeUndefined();
  });
});

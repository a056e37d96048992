import { expect, test } from "vitest";
import { nextAttempt } from "./next-attempt.ts";

const nowMs = Date.parse("2026-01-31T00:01:00Z");

test.each([
  ["2026-01-31T00:03:00Z", "in 2 min"],
  ["2026-01-31T00:00:00Z", "in its turn"],
  [null, "–"],
])("what is to be tried next at %s is shown as %s", async (at, words) => {
  expect(String(await nextAttempt({ next_attempt_at: at }, nowMs))).toContain(words);
});

import { expect, onTestFinished, test, vi } from "vitest";
import { pacedText } from "./paced-text.ts";

test("a text that many ask for is made so often a second, and no oftener", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let made = 0;
  const ask = pacedText(() => String(++made), 2);
  const asked = Array.from({ length: 100 }, ask);
  expect(asked.slice(18, 22)).toEqual(["19", "20", "20", "20"]);
  expect(asked.at(-1)).toBe("20");
  vi.advanceTimersByTime(499);
  expect(ask()).toBe("20");
  vi.advanceTimersByTime(1);
  expect([ask(), ask()]).toEqual(["21", "21"]);
  vi.advanceTimersByTime(60_000);
  expect(Array.from({ length: 21 }, ask).slice(-3)).toEqual(["40", "41", "41"]);
});

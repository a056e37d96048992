import { expect, test } from "vitest";
import { pacedText } from "./paced-text.ts";

test("a text that many ask for is made so often a second, and no oftener", () => {
  let made = 0;
  let nowMs = 0;
  const ask = pacedText(
    () => String(++made),
    { burst: 3, perS: 2 },
    () => nowMs,
  );
  const asked = Array.from({ length: 100 }, ask);
  expect(asked.slice(0, 4)).toEqual(["1", "2", "3", "3"]);
  expect(asked.at(-1)).toBe("3");
  nowMs += 499;
  expect(ask()).toBe("3");
  nowMs += 1;
  expect([ask(), ask()]).toEqual(["4", "4"]);
  nowMs += 60_000;
  expect([ask(), ask(), ask(), ask()]).toEqual(["5", "6", "7", "7"]);
});

import { expect, test } from "vitest";
import { sparkline } from "./sparkline.ts";

test.each([
  ["the largest value is the highest bar, and nothing the lowest", [0, 1, 4, 8], 10, "▁▂▅█"],
  ["what is little can be seen", [0, 1, 1000], 10, "▁▂█"],
  ["what is not known is a dot", [1, null, 1], 10, "█·█"],
  ["values that share a column show their largest", [1, 8, 2, 2, null, null, 0], 4, "█▃·▁"],
  ["only zeros are a flat line", [0, 0], 10, "▁▁"],
  ["nothing is nothing", [], 10, ""],
])("%s", (_what, values, columns, expected) => {
  expect(sparkline(values, columns)).toBe(expected);
});

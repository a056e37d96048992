import { expect, test } from "vitest";
import { readToml } from "../../shared/app-config/read-toml.ts";
import { jsonToToml } from "./toml-text.ts";

test.each([
  'a "b" \\ \n \t \u007f é 😀',
  7,
  -0.5,
  1e21,
  1e-9,
  true,
  [1, "two", [3]],
  { "a b": { c: [] }, "d.e": "" },
])("%j is read as it was written", (value) => {
  const { value: read, faults } = readToml(`x = ${jsonToToml(value)}`);
  expect([faults, read["x"]]).toEqual([[], value]);
});

test("a null is left out", () => {
  expect(jsonToToml({ a: null, b: [null, 1] })).toBe('{ "b" = [1] }');
});

import { expect, test } from "vitest";
import { readLabelQuery } from "./label-query.ts";

test("labels are asked for by : or =, by * or the key alone", () => {
  expect([...readLabelQuery("tier:gold, env=prod,team:*,zone,,url=http://a:1")]).toEqual([
    ["tier", "gold"],
    ["env", "prod"],
    ["team", null],
    ["zone", null],
    ["url", "http://a:1"],
  ]);
  expect(readLabelQuery(undefined).size).toBe(0);
});

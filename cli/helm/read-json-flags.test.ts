import { describe, expect, test } from "vitest";
import { readJsonFlags } from "./read-json-flags.ts";

const read = (...given: readonly string[]): unknown => JSON.parse(readJsonFlags(given) ?? "null");

describe("values that are set as JSON", () => {
  test("are whole objects, and pairs with commas within and between them", () => {
    expect(read()).toBeNull();
    expect(read('{"a":{"x":1},"l":[1]}', 'a.y="two, three",l=[{"n":1.5},null],e={}')).toEqual({
      a: { x: 1, y: "two, three" },
      l: [{ n: 1.5 }, null],
      e: {},
    });
    expect(read('labels.app\\.io/name="web",n=null')).toEqual({
      labels: { "app.io/name": "web" },
      n: null,
    });
  });

  test("are refused without being repeated, where they are no JSON or one item of a list", () => {
    for (const given of ["a=swordfish", "swordfish", "a=1,swordfish", "=1", '["swordfish"]']) {
      const refusal = (): unknown => read(given);
      expect(refusal).toThrow(/--set-json/);
      expect(refusal).not.toThrow(/swordfish/);
    }
    expect(() => read("list[0]=1")).toThrow(/give the whole list/);
  });
});

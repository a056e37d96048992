import { describe, expect, test } from "vitest";
import { setValues } from "./set-values.ts";

const set = (name: string, value: string, isText = false) => ({ name, value, isText });

describe("values that are set by their paths", () => {
  test("make one tree, later ones over earlier ones", () => {
    const values = [
      set("a.b", "1"),
      set("a.c\\.d", "x"),
      set("list[1].name", "second"),
      set("list[0]", "first"),
      set("a.b", "2"),
    ];
    expect(setValues(values)).toEqual({
      a: { b: 2, "c.d": "x" },
      list: ["first", { name: "second" }],
    });
  });

  test("are what they say, unless they are texts", () => {
    const values = [
      set("yes", "true"),
      set("none", "null"),
      set("id", "0123"),
      set("text", "true", true),
    ];
    expect(setValues(values)).toEqual({ yes: true, none: null, id: "0123", text: "true" });
  });

  test.each(["", "a..[x]", "__proto__.polluted", "a[99999999]"])("refuse the path %j", (name) => {
    expect(() => setValues([set(name, "1")])).toThrow(/helm\.values: /);
  });
});

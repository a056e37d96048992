import { describe, expect, test } from "vitest";
import { parseExactly } from "../../shared/parse-exactly.ts";
import { hideSensitive, readSensitivePaths } from "./hide-sensitive.ts";

const attr = (value: string) => ({ type: "get_attr", value });
const index = (value: unknown, type: unknown = "string") => ({
  type: "index",
  value: { value, type },
});
const hide = (given: Record<string, unknown>, paths: unknown) =>
  hideSensitive(structuredClone(given), readSensitivePaths(paths));
const dynamic = (value: unknown) => ({ value, type: ["object", { "SECRET's name": "string" }] });
const hidden = "(sensitive)";

describe("what terraform marks as sensitive", () => {
  test.each<[string, Record<string, unknown>, unknown[], Record<string, unknown>]>([
    ["an attribute", { a: "SECRET", b: 1 }, [attr("a")], { a: hidden, b: 1 }],
    [
      "an element of a list",
      { a: [{ b: "SECRET", c: 1 }, 2] },
      [attr("a"), index(0, "number"), attr("b")],
      { a: [{ b: hidden, c: 1 }, 2] },
    ],
    [
      "an element of a map",
      { a: { k: "SECRET", l: 1 } },
      [attr("a"), index("k")],
      { a: { k: hidden, l: 1 } },
    ],
    [
      "an attribute of what is wrapped with its type",
      { a: dynamic({ b: { c: "SECRET", d: 1 } }) },
      [attr("a"), attr("b"), attr("c")],
      { a: { value: { b: { c: hidden, d: 1 } }, type: hidden } },
    ],
    [
      "an element of what is wrapped within a list",
      { a: [dynamic(["SECRET", 1])] },
      [attr("a"), index(0, "number"), index(0, "number")],
      { a: [{ value: [hidden, 1], type: hidden }] },
    ],
    [
      "a member that may be a wrapper's or be wrapped",
      { a: { value: { value: "SECRET", b: "SECRET" }, type: "SECRET" } },
      [attr("a"), attr("value")],
      { a: hidden },
    ],
    ["a whole wrapper", { a: dynamic("SECRET") }, [attr("a")], { a: hidden }],
  ])("is not shown: %s", (_, given, path, shown) => {
    expect(hide(given, [path]).attributes).toEqual(shown);
  });

  test.each<[string, Record<string, unknown>, unknown, unknown[]]>([
    ["nowhere", { a: "SECRET", id: "1" }, [[attr("x")]], [{ a: hidden, id: hidden }, "a", "id"]],
    ["everywhere", { a: "SECRET" }, [[]], [{ a: hidden }, "a"]],
    [
      "past a member",
      { a: { b: "SECRET" }, c: 1 },
      [[attr("a"), attr("x")]],
      [{ a: hidden, c: 1 }, "a"],
    ],
    ["past a list", { a: ["SECRET"] }, [[attr("a"), index(7, "number")]], [{ a: hidden }, "a"]],
    ["into a set", { a: ["SECRET"] }, [[attr("a"), index("SECRET")]], [{ a: hidden }, "a"]],
    [
      "into a set of objects",
      { a: [{ b: "SECRET" }] },
      [[attr("a"), index({ b: "SECRET" }, ["object", {}]), attr("b")]],
      [{ a: hidden }, "a"],
    ],
    ["at a list's length", { a: ["SECRET"] }, [[attr("a"), attr("length")]], [{ a: hidden }, "a"]],
    [
      "at what all objects have",
      { a: {}, b: "SECRET" },
      [[attr("constructor")]],
      [{ a: hidden, b: hidden }, "a", "b"],
    ],
    ["past a text", { a: "SECRET" }, [[attr("a"), attr("b")]], [{ a: hidden }, "a"]],
    ["past nothing", { a: null }, [[attr("a"), attr("b")]], [{ a: hidden }, "a"]],
    [
      "past a wrapper",
      { a: dynamic({ b: "SECRET" }) },
      [[attr("a"), attr("x")]],
      [{ a: { value: hidden, type: hidden } }, "a"],
    ],
    ["by no path", { a: "SECRET" }, "all of it", [{ a: hidden }, "a"]],
    ["by no step", { a: "SECRET" }, [["a"]], [{ a: hidden }, "a"]],
  ])("is all below where its path ends that leads %s", (_, given, paths, shown) => {
    const { attributes, hiddenAt } = hide(given, paths);
    expect([attributes, ...hiddenAt]).toEqual(shown);
  });

  test("is not shown where a provider repeats it unmarked", () => {
    const given = {
      manifest: dynamic({ data: { db: "SECRET" } }),
      object: dynamic({ data: { db: "SECRET" }, list: ["SECRET", "other"] }),
    };
    const { attributes } = hide(given, [[attr("manifest"), attr("data"), attr("db")]]);
    expect(attributes).toMatchObject({
      object: { value: { data: { db: hidden }, list: [hidden, "other"] } },
    });
  });

  test("may be a number that is kept as it is written, which has nothing within", () => {
    const given = parseExactly('{"a":12345678901234567890,"b":98765432109876543210}') as object;
    const { attributes } = hideSensitive({ ...given }, [["a", "rawJSON"]]);
    expect(JSON.stringify(attributes)).toBe(`{"a":"${hidden}","b":98765432109876543210}`);
  });

  test("hides nothing of an instance without marks", () => {
    const given = { a: dynamic({ b: 1 }), c: ["x"] };
    for (const marks of [undefined, null, []]) {
      expect(hide(given, marks)).toEqual({ attributes: given, hiddenAt: [] });
    }
  });
});

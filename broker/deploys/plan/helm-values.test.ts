import { expect, test } from "vitest";
import { setValues } from "../../../agent/handlers/helm/set-values.ts";
import type { JsonObject } from "../../../shared/app-config/templates/json-value.ts";
import { helmValues } from "./helm-values.ts";

/** What an agent makes of them before the document that comes last. */
function setBy(given: JsonObject): unknown {
  const made = helmValues(given);
  if ("unset" in made) return made;
  const values = made.values.map(({ name, value, type }) => ({
    name,
    value,
    isText: type === "string",
  }));
  return { set: setValues(values), override: made.override };
}

test.each<[string, JsonObject, object]>([
  ["a text that looks like a number", { a: "1" }, { a: "1" }],
  ["what has a type", { a: 1, b: true, c: null }, { a: 1, b: true, c: null }],
  ["by a path", { "a.b": 1, "a.c[0]": "x" }, { a: { b: 1, c: ["x"] } }],
  ["a table", { a: { b: { "c.d/e": "x", "f[0]": 2 } } }, { a: { b: { "c.d/e": "x", "f[0]": 2 } } }],
  ["a list", { a: [{ b: 1 }, ["x"]] }, { a: [{ b: 1 }, ["x"]] }],
])("%s keeps its type", (_, given, set) => {
  expect(setBy(given)).toEqual({ set });
});

test.each<[string, JsonObject, object]>([
  ["a fraction", { a: 1.5 }, { a: 1.5 }],
  ["a fraction by a path", { "a.b": 1.5, "a.c": 0.5 }, { a: { b: 1.5, c: 0.5 } }],
  ["an empty list in a table", { a: { b: [], c: 1 } }, { a: { b: [], c: 1 } }],
  ["an empty table", { a: {} }, { a: {} }],
  ["a long number", { a: 9_007_199_254_740_991 }, { a: 9_007_199_254_740_991 }],
])("%s is in the document that comes last", (_, given, override) => {
  expect(setBy(given)).toEqual({ set: {}, override: JSON.stringify(override) });
});

test("what is neither is told by its name", () => {
  expect(helmValues({ "a[0].b": [] })).toEqual({ unset: "a[0].b" });
});

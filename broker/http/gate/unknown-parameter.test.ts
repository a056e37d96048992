import { expect, test } from "vitest";
import { unknownParameter } from "./unknown-parameter.ts";

test.each([
  [[], "none is"],
  [["include"], "include is"],
  [["limit", "cursor"], "limit, cursor are"],
])("of %j it is said that %s allowed", (known, words) => {
  expect(unknownParameter("x", known)).toEqual({
    pointer: "?x",
    code: "unknown_parameter",
    detail: `Unknown query parameter: ${words} allowed here.`,
  });
});

import { describe, expect, test } from "vitest";
import { readPolicyVerdict } from "./policy-verdict.ts";

const said = (deny: unknown): string =>
  JSON.stringify({ result: [{ expressions: [{ value: { main: { deny } } }] }] });

describe("a policy's rule", () => {
  test.each([
    ["a set of texts", ["no buckets"], ["no buckets"]],
    ["a set of objects", [{ msg: "no buckets" }], ["no buckets"]],
    ["an object by its keys", { "no buckets": true, "no users": false }, ["no buckets"]],
    ["an object with a message", { msg: "no buckets" }, ["no buckets"]],
    ["a text", "no buckets", ["no buckets"]],
    ["true", true, ["no reason was given"]],
    ["false", false, []],
    ["an empty text", "", []],
    ["an empty set", [], []],
    ["an empty object", {}, []],
  ])("is read as %s", (_, deny, messages) => {
    expect(readPolicyVerdict(said(deny))?.deny).toEqual(messages);
  });

  test.each([
    ["a number", 1],
    ["null", null],
  ])("that is %s is no consent", (_, deny) => {
    expect(readPolicyVerdict(said(deny))).toBeUndefined();
  });

  test("of conftest is read from its outcomes", () => {
    const outcome = { failures: [{ msg: "no buckets" }], warnings: [{ msg: "old" }] };
    const verdict = { deny: ["no buckets"], warn: ["old"] };
    expect(readPolicyVerdict(JSON.stringify([outcome]))).toEqual(verdict);
  });
});

test.each(["", "{}", "[", "nothing"])("what is no verdict is none: %j", (text) => {
  expect(readPolicyVerdict(text)).toBeUndefined();
});

import { expect, test } from "vitest";
import { mostScopes, readScopes } from "./read-scopes.ts";

test("scopes of several texts, and several in one, are read once a repository", () => {
  expect(
    readScopes([
      "repository:acme/a:pull repository:b:pull,push",
      "repository(plugin):acme/a:push",
      "",
    ]),
  ).toEqual([
    { repository: "acme/a", actions: ["pull", "push"] },
    { repository: "b", actions: ["pull", "push"] },
  ]);
});

test("what is no repository opens nothing", () => {
  const texts = [
    "registry:catalog:*",
    "repository:../a:pull",
    "repository:org_x/../org_y/a:pull",
    "repository:a/./b:pull",
    "repository:A:pull",
    "a",
    "::",
  ];
  for (const text of [...texts, "repository:a:", `repository:${"a".repeat(300)}:pull`])
    expect([text, readScopes([text])]).toEqual([text, []]);
});

test("more than are read are refused as a whole", () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, at) => `repository:r${at}:pull`);
  expect(readScopes(many(mostScopes))).toHaveLength(mostScopes);
  expect(readScopes(many(mostScopes + 1))).toBeUndefined();
  expect(readScopes([many(mostScopes + 1).join(" ")])).toBeUndefined();
});

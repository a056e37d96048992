import { expect, test } from "vitest";
import { aliasesOf, brandsIn, whyNoBrand, withAliases } from "./brands.ts";

test.each([
  ["svc", "acme"],
  ["package svc", "package acme"],
  ["svc::component:db", "acme::component:db"],
  ["SVC_ACTIONS_OUTPUT_FILEPATH", "ACME_ACTIONS_OUTPUT_FILEPATH"],
  ["x-svc-org-id", "x-acme-org-id"],
  ["X-Svc-Page-Next", "X-Acme-Page-Next"],
  ["/svc deploy", "/acme deploy"],
])("%s is also %s", (own, alias) => {
  expect(aliasesOf(own, ["acme"])).toEqual([alias]);
  expect(aliasesOf(own, [])).toEqual([]);
});

test("what has a name of ours has those of all brands", () => {
  expect(withAliases({ SVC_ORG_ID: "o", OTHER: "x" }, ["acme", "beta"])).toEqual({
    SVC_ORG_ID: "o",
    ACME_ORG_ID: "o",
    BETA_ORG_ID: "o",
    OTHER: "x",
  });
});

test("words that can be no brand are left out", () => {
  expect(brandsIn(["acme", "npm", "x=y", "PATH", "beta"])).toEqual(["acme", "beta"]);
});

test.each([
  ["acme", ""],
  ["a1b", ""],
  ["ab", "is no brand"],
  ["Acme", "is no brand"],
  ["1acme", "is no brand"],
  ["ac-me", "is no brand"],
  ["abcdefghijklmnopq", "is no brand"],
  ["svc", "is a word of ours"],
  ["install", "is a word of ours"],
  ["values", "is a root of other templates"],
  ["aws", "begins variables"],
  ["npm", "begins variables"],
  ["forwarded", "begins headers"],
  ["data", "is a word of Rego"],
])("the brand %s", (word, why) => {
  expect(whyNoBrand(word) ?? "").toMatch(why === "" ? /^$/ : new RegExp(`^${why}`));
});

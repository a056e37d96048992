import { expect, test } from "vitest";
import { choosePolicies, type ConfigPolicy } from "./choose-policies.ts";
import { packageOf } from "./package-of.ts";
import { policyId } from "./policy-id.ts";

const policy = (name: string, more: Partial<ConfigPolicy> = {}): ConfigPolicy => ({
  name,
  type: "helm_chart",
  contents: "package svc",
  ...more,
});
const policies = {
  policy: [
    policy("named", { components: ["my-api"] }),
    policy("all", { components: ["*"] }),
    policy("silent"),
    policy("other", { components: ["web"] }),
    policy("of-pulumi", { type: "pulumi" }),
    policy("kyverno", { type: "kubernetes_cluster" }),
    policy("also-last", { apply_on_teardown: true }),
  ],
};
const namesOf = (judged: Parameters<typeof choosePolicies>[1]) =>
  choosePolicies({ policies }, judged).map(({ name }) => name);

test("a policy is about the components that it names, by either of their spellings, or about all of its type", () => {
  const judged = { type: "helm_chart", component: "my_api" } as const;
  expect(namesOf(judged)).toEqual(["named", "all", "silent", "also-last"]);
  expect(namesOf({ ...judged, isTeardown: true })).toEqual(["also-last"]);
  expect(namesOf({ type: "kubernetes_cluster" })).toEqual([]);
  expect(choosePolicies({}, judged)).toEqual([]);
});

test("the package is that of the first line that says something", () => {
  expect(packageOf("# a policy\n\npackage svc # ours\n")).toBe("svc");
  expect(packageOf("import rego.v1\npackage svc")).toBe("");
});

test("a policy's id is of its app and name alone", () => {
  expect(policyId("app_1", "signed")).toMatch(/^pol_[0-9a-hjkmnp-tv-z]{26}$/);
  expect(policyId("app_1", "signed")).toBe(policyId("app_1", "signed"));
  expect(policyId("app_2", "signed")).not.toBe(policyId("app_1", "signed"));
});

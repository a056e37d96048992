import { rolesOf } from "./config-roles.ts";
import { isTable, type Rule, tablesAt, tablesOf, type Tell, textIn } from "./rule.ts";

/** A config's stack, runner, roles and installs are of one cloud. */
export const oneCloud: Rule = (tree, tell) => {
  const found = [cloudIn(tree, "runner", "runner_type"), cloudIn(tree, "stack", "type")];
  const [first, second] = found.filter((one) => one !== undefined);
  if (first === undefined) return;
  if (second !== undefined && second.cloud !== first.cloud)
    tell(second.path, "cloud_mismatch", wordsOf(second.text, second.cloud, first));
  for (const { path, value } of tablesAt(tree, "installs"))
    for (const cloud of clouds) {
      const member = `${cloud}_account`;
      if (cloud !== first.cloud && value[member] !== undefined)
        tell([...path, member], "cloud_mismatch", wordsOf(member, cloud, first));
    }
  for (const role of rolesOf(tree)) {
    const cloud = textIn(role, "cloud_platform");
    if (cloud !== undefined && cloud !== first.cloud && clouds.includes(cloud))
      tell(
        [...role.path, "cloud_platform"],
        "cloud_mismatch",
        wordsOf("cloud_platform", cloud, first),
      );
  }
  checkPolicies(tree, tell, first);
};

const clouds = ["aws", "azure", "gcp"];

type Cloud = { readonly cloud: string; readonly path: readonly string[]; readonly text: string };

function cloudIn(tree: unknown, section: string, member: string): Cloud | undefined {
  const table = isTable(tree) ? tree[section] : undefined;
  const text = isTable(table) ? table[member] : undefined;
  const [cloud] = typeof text === "string" ? (/^(?:aws|azure|gcp)/.exec(text) ?? []) : [];
  if (cloud === undefined || typeof text !== "string") return undefined;
  return { cloud, path: [section, member], text };
}

const wordsOf = (what: string, cloud: string, first: Cloud): string =>
  `${what} is of ${cloud}, but ${first.path.join(".")} is ${first.text}`;

function checkPolicies(tree: unknown, tell: Tell, first: Cloud): void {
  for (const policy of rolesOf(tree).flatMap((role) => tablesOf(role, "policies")))
    for (const member of Object.keys(policy.value)) {
      const [, told] = /^(gcp|azure)_/.exec(member) ?? [];
      const cloud = told ?? (member === "managed_policy_name" ? "aws" : first.cloud);
      if (cloud !== first.cloud)
        tell([...policy.path, member], "cloud_mismatch", wordsOf(member, cloud, first));
    }
}

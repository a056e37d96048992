import { rolesOf } from "./config-roles.ts";
import { type Found, nameKey, type Rule, tablesAt, tablesOf, textIn } from "./rule.ts";

/** Names are unique among their kind. */
export const uniqueNames: Rule = (tree, tell) => {
  const kinds: [string, readonly Found[]][] = [
    ["input", tablesAt(tree, "inputs", "input")],
    ["group of inputs", tablesAt(tree, "inputs", "group")],
    ["component", tablesAt(tree, "components")],
    ["action", tablesAt(tree, "actions")],
    ["runbook", tablesAt(tree, "runbooks")],
    ["branch", tablesAt(tree, "branches")],
    ["install", tablesAt(tree, "installs")],
    ["policy", tablesAt(tree, "policies", "policy")],
    ["secret", tablesAt(tree, "secrets", "secret")],
    ["kubernetes context", tablesAt(tree, "kubernetes_contexts", "context")],
    ["trigger rule", tablesAt(tree, "trigger_rules", "rule")],
    ["role", rolesOf(tree)],
    ["named policy", tablesAt(tree, "permissions", "named_policies")],
    ...tablesAt(tree, "runbooks").map((one): [string, Found[]] => [
      "input of this runbook",
      tablesOf(one, "input"),
    ]),
    ...tablesAt(tree, "actions").map((one): [string, Found[]] => [
      "step of this action",
      tablesOf(one, "steps"),
    ]),
  ];
  for (const [kind, all] of kinds) {
    const seen = new Map<string, string>();
    for (const one of all) {
      const name = textIn(one, "name");
      if (name === undefined) continue;
      const key = kind === "install" ? name : nameKey(name);
      const first = seen.get(key);
      if (first === undefined) seen.set(key, name);
      else tell([...one.path, "name"], "duplicate_name", wordsOf(kind, name, first));
    }
  }
};

function wordsOf(kind: string, name: string, first: string): string {
  const why = name === first ? "" : " (- and _ are equal in names)";
  return `name ${name}: another ${kind} is called ${first}${why}`;
}

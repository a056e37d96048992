import { isTree, type JudgedInputs, listOf, textsIn, type Tree, treeOf } from "./judged-inputs.ts";

/** Whether a value is what `terraform show -json` prints of a plan. */
export const isTerraformPlan = (value: unknown): value is Tree =>
  isTree(value) && Array.isArray(value["resource_changes"]);

/** What policies of terraform_module and of sandboxes read of a plan: all of it, as `input.plan`. */
export function terraformInput(plan: Tree, identity: string): JudgedInputs {
  const secrets = [
    ...secretsOfChanges(plan),
    ...secretsOfValues(plan),
    ...secretsOfVariables(plan),
  ];
  return { inputs: [{ identity, document: { plan } }], secrets: [...new Set(secrets)] };
}

function secretsOfChanges(plan: Tree): string[] {
  const changes = [...listOf(plan["resource_changes"]), ...listOf(plan["resource_drift"])].map(
    (one) => treeOf(treeOf(one)["change"]),
  );
  const outputs = Object.values(treeOf(plan["output_changes"])).map(treeOf);
  return [...changes, ...outputs].flatMap((change) => [
    ...marked(change["before"], change["before_sensitive"]),
    ...marked(change["after"], change["after_sensitive"]),
  ]);
}

/** Of the state before, and of what is planned. */
function secretsOfValues(plan: Tree): string[] {
  const values = [treeOf(treeOf(plan["prior_state"])["values"]), treeOf(plan["planned_values"])];
  return values.flatMap((one) => [
    ...secretsOfModule(treeOf(one["root_module"])),
    ...Object.values(treeOf(one["outputs"])).flatMap((output) =>
      treeOf(output)["sensitive"] === true ? textsIn(treeOf(output)["value"]) : [],
    ),
  ]);
}

function secretsOfModule(root: Tree): string[] {
  const secrets: string[] = [];
  const open = [root];
  for (let module = open.pop(); module !== undefined; module = open.pop()) {
    for (const one of listOf(module["resources"]).map(treeOf))
      secrets.push(...marked(one["values"], one["sensitive_values"]));
    open.push(...listOf(module["child_modules"]).map(treeOf));
  }
  return secrets;
}

function secretsOfVariables(plan: Tree): string[] {
  const declared = treeOf(treeOf(treeOf(plan["configuration"])["root_module"])["variables"]);
  return Object.entries(treeOf(plan["variables"])).flatMap(([name, one]) =>
    treeOf(declared[name])["sensitive"] === true ? textsIn(treeOf(one)["value"]) : [],
  );
}

/** What of a value terraform marks as sensitive: a mark is true, or of the shape of the value. */
function marked(value: unknown, mark: unknown): string[] {
  if (mark === true) return textsIn(value);
  if (Array.isArray(mark)) return mark.flatMap((one, at) => marked(listOf(value)[at], one));
  if (!isTree(mark)) return [];
  return Object.entries(mark).flatMap(([name, one]) => marked(treeOf(value)[name], one));
}

import { rolesOf } from "./config-roles.ts";
import {
  type Found,
  isTable,
  type Rule,
  tableAt,
  tablesAt,
  tablesOf,
  type Tell,
  textIn,
} from "./rule.ts";

type Choice = {
  readonly of: readonly string[];
  /** Exactly one must be there, not at most one. */
  readonly isNeeded?: boolean;
};

const repo: Choice = { of: ["connected_repo", "public_repo"] };
/** Of what is built: `directory` is a folder of the config's own. */
const source: Choice = { of: [...repo.of, "directory"] };
const neededSource: Choice = { ...source, isNeeded: true };

/** Members of which only one may be there. */
export const choices: Rule = (tree, tell) => {
  const sandbox = tableAt(tree, "sandbox");
  if (sandbox !== undefined) choose(tell, sandbox, neededSource);
  for (const one of tablesAt(tree, "components")) chooseOfComponent(tell, one);
  for (const one of tablesAt(tree, "branches")) choose(tell, one, repo);
  const accounts = { of: ["aws_account", "gcp_account", "azure_account"] };
  for (const one of tablesAt(tree, "installs")) choose(tell, one, accounts);
  for (const step of tablesAt(tree, "actions").flatMap((one) => tablesOf(one, "steps"))) {
    choose(tell, step, { of: ["command", "inline_contents"], isNeeded: true });
    choose(tell, step, repo);
  }
  for (const policy of rolesOf(tree).flatMap((one) => tablesOf(one, "policies"))) {
    if (Object.keys(policy.value).length === 0) continue; // a place for one
    const clouds = ["contents", "managed_policy_name", "gcp_permissions", "gcp_predefined_role"];
    choose(tell, policy, {
      of: [...clouds, "azure_actions", "azure_built_in_roles"],
      isNeeded: true,
    });
  }
  for (const one of tablesAt(tree, "secrets", "secret"))
    choose(tell, one, { of: ["default", "auto_generate"] });
  for (const step of tablesAt(tree, "runbooks").flatMap((one) => tablesOf(one, "steps")))
    chooseOfStep(tell, step);
  for (const rule of tablesAt(tree, "trigger_rules", "rule")) {
    const target = textIn(rule, "target_type");
    if (target === "runbook") need(tell, rule, "runbook", "a rule that begins a runbook");
    if (target === "app_branch_run")
      need(tell, rule, "branch", "a rule that begins a branch's run");
  }
};

const componentChoices: Readonly<Record<string, readonly Choice[]>> = {
  terraform_module: [neededSource],
  helm_chart: [{ of: ["helm_repo", ...source.of], isNeeded: true }],
  docker_build: [neededSource],
  container_image: [{ of: ["aws_ecr", "gcp_gar", "azure_acr", "public"], isNeeded: true }],
  external_image: [{ of: ["aws_ecr", "gcp_gar", "azure_acr", "public"], isNeeded: true }],
  kubernetes_manifest: [{ of: ["manifest", "kustomize"], isNeeded: true }, source],
  pulumi: [neededSource],
};

function chooseOfComponent(tell: Tell, component: Found): void {
  const type = textIn(component, "type") ?? "";
  const own = Object.hasOwn(componentChoices, type) ? componentChoices[type] : undefined;
  for (const choice of own ?? []) choose(tell, component, choice);
  if (component.value["kustomize"] !== undefined) choose(tell, component, neededSource);
  for (const member of ["aws_ecr", "gcp_gar", "azure_acr", "public"]) {
    const value = component.value[member];
    if (!isTable(value)) continue;
    const path = [...component.path, member];
    choose(tell, { path, value }, { of: ["tag", "update_policy"], isNeeded: true });
  }
}

function chooseOfStep(tell: Tell, step: Found): void {
  const type = textIn(step, "type") ?? "";
  if (/^(?:component_deploy|deploy|component_tear_down)$/.test(type))
    need(tell, step, "component_name", `a step ${type}`);
  if (type === "action")
    choose(tell, step, { of: ["action", "command", "inline_contents"], isNeeded: true });
  if (type === "wait_for_trigger") need(tell, step, "trigger_name", `a step ${type}`);
}

function choose(tell: Tell, { path, value }: Found, { of, isNeeded = false }: Choice): void {
  const there = of.filter((member) => value[member] !== undefined && value[member] !== false);
  const words = of.join(", ");
  for (const member of there.slice(1))
    tell(
      [...path, member],
      "one_of",
      `${member} and ${there[0] ?? ""} exclude each other: one of ${words}`,
    );
  if (there.length === 0 && isNeeded) tell(path, "one_of", `one of ${words} must be given`);
}

function need(tell: Tell, { path, value }: Found, member: string, what: string): void {
  if (value[member] === undefined)
    tell(path, "missing_key", `${member} is missing: ${what} needs it`);
}

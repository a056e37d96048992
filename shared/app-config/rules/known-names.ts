import { type Brands, rootsOf } from "../../brands.ts";
import type { ConfigFaultCode, Path } from "../config-fault.ts";
import { roleNames, rolesOf } from "./config-roles.ts";
import {
  type Found,
  isTable,
  nameKey,
  type Names,
  namesAt,
  type Rule,
  tableAt,
  tablesAt,
  tablesOf,
  type Tell,
  textIn,
  textsOf,
  toNames,
} from "./rule.ts";

type Kind = { readonly is: string; readonly code: ConfigFaultCode; readonly names: Names };
type Given = { readonly path: Path; readonly text: string | undefined };

const kind = (is: string, code: ConfigFaultCode, names: readonly string[]): Kind => ({
  is,
  code,
  names: toNames(names),
});

/** What is named is there. */
export const knownNames: Rule = (tree, tell) => {
  const component = kind("component", "unknown_component", namesAt(tree, "components"));
  const check = (of: Kind, given: readonly Given[]): void => {
    for (const { path, text } of given) checkName(tell, of, { path, text });
  };
  const actions = tablesAt(tree, "actions");
  const runbooks = tablesAt(tree, "runbooks");
  const components = tablesAt(tree, "components");
  check(component, [
    ...[...components, ...actions, ...runbooks].flatMap((one) => textsOf(one, "dependencies")),
    ...actions.flatMap((one) => members(tablesOf(one, "triggers"), "component_name")),
    ...runbooks.flatMap((one) => members(tablesOf(one, "steps"), "component_name")),
    ...members(tablesAt(tree, "kubernetes_contexts", "context"), "source_component_name"),
    ...tablesAt(tree, "policies", "policy")
      .flatMap((one) => textsOf(one, "components"))
      .filter(({ text }) => text !== "*"),
    ...tablesAt(tree, "installs").flatMap((one) => keysOf(one, "component_toggles")),
  ]);
  check(
    kind("group of inputs", "unknown_group", namesAt(tree, "inputs", "group")),
    members(tablesAt(tree, "inputs", "input"), "group"),
  );
  check(
    kind(
      "kubernetes context",
      "unknown_kubernetes_context",
      namesAt(tree, "kubernetes_contexts", "context"),
    ),
    members([...components, ...actions], "kubernetes_context"),
  );
  check(
    kind("action", "unknown_action", namesAt(tree, "actions")),
    runbooks.flatMap((one) => members(tablesOf(one, "steps"), "action")),
  );
  check(kind("runbook", "unknown_runbook", namesAt(tree, "runbooks")), [
    ...members(tablesAt(tree, "trigger_rules", "rule"), "runbook"),
    ...tablesAt(tree, "branches").flatMap((one) => textsOf(one, "post_deploy_runbooks")),
  ]);
  check(
    kind("branch", "unknown_branch", namesAt(tree, "branches")),
    members(tablesAt(tree, "trigger_rules", "rule"), "branch"),
  );
  check(
    kind("input", "unknown_input", namesAt(tree, "inputs", "input")),
    tablesAt(tree, "installs").flatMap((one) =>
      tablesOf(one, "inputs").flatMap(({ path, value }) => keysIn(path, value)),
    ),
  );
  checkRoles(tree, tell);
};

/** Roles are named by operations; their policies by roles. A name with a template is known only when it is rendered. */
function checkRoles(tree: unknown, tell: Tell): void {
  const role = renderedKind("role", "unknown_role", roleNames(tree));
  const sandbox = tableAt(tree, "sandbox");
  const withRoles = [...(sandbox === undefined ? [] : [sandbox]), ...tablesAt(tree, "components")];
  const roles = [
    ...withRoles.flatMap((one) => members(tablesOf(one, "operation_roles"), "role")),
    ...members(tablesAt(tree, "operation_roles", "rules"), "role"),
    ...members(tablesAt(tree, "actions"), "role"),
    ...tablesAt(tree, "runbooks").flatMap((one) => members(tablesOf(one, "steps"), "role")),
  ];
  for (const given of roles) checkRendered(tell, role, given);
  const named = namesAt(tree, "permissions", "named_policies");
  const policy = renderedKind("named policy", "unknown_policy", named);
  for (const one of rolesOf(tree))
    for (const given of textsOf(one, "named_policy_names")) checkRendered(tell, policy, given);
  const principals: Principals = {
    action: kind("action", "unknown_action", namesAt(tree, "actions")),
    component: kind("component", "unknown_component", namesAt(tree, "components")),
  };
  for (const rule of tablesAt(tree, "operation_roles", "rules"))
    checkPrincipal(principals, tell, rule);
}

type RenderedKind = Kind & { readonly isRendered: boolean };
type Principals = { readonly action: Kind; readonly component: Kind };

const renderedKind = (
  is: string,
  code: ConfigFaultCode,
  names: readonly string[],
): RenderedKind => ({
  ...kind(is, code, names),
  isRendered: names.some((name) => name.includes("{{")),
});

function checkPrincipal(principals: Principals, tell: Tell, rule: Found): void {
  const principal = textIn(rule, "principal");
  if (principal === undefined || principal === "*" || principal === "sandbox") return;
  const path = [...rule.path, "principal"];
  const [, is = "", name = ""] =
    /^(component|action):(.+)$/.exec(withoutBrand(principal, tell.brands)) ?? [];
  if (is !== "" && name === "*") return;
  if (is === "action" || is === "component") checkName(tell, principals[is], { path, text: name });
  else tell(path, "bad_value", "principal must be sandbox, component:NAME, action:NAME or *");
}

function checkRendered(tell: Tell, of: RenderedKind, given: Given): void {
  if (!of.isRendered && given.text?.includes("{{") !== true) checkName(tell, of, given);
}

function checkName(tell: Tell, { is, code, names }: Kind, { path, text }: Given): void {
  if (text === undefined || names.keys.has(nameKey(text))) return;
  tell(path, code, `there is no ${is} ${text}${tell.meant(text, names.all)}`);
}

const members = (tables: readonly Found[], member: string): Given[] =>
  tables.map((one) => ({ path: [...one.path, member], text: textIn(one, member) }));

function keysOf(one: Found, member: string): Given[] {
  const table = one.value[member];
  return isTable(table) ? keysIn([...one.path, member], table) : [];
}

const keysIn = (path: Path, table: object): Given[] =>
  Object.keys(table).map((key) => ({ path: [...path, key], text: key }));

/** `svc::component:x` is also a principal, and so is that of a brand. */
function withoutBrand(principal: string, brands: Brands): string {
  const root = rootsOf(brands).find((one) => principal.startsWith(`${one}::`));
  return root === undefined ? principal : principal.slice(root.length + 2);
}

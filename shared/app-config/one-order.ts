import type { AppConfigDocument } from "./config-files.ts";
import { isTable } from "./rules/rule.ts";

/**
 * The same config as the same document: what has no order of its own is by name, empty lists of sections are left out, and of two
 * words for one thing there is one.
 */
export function inOneOrder(document: AppConfigDocument): AppConfigDocument {
  const { permissions, inputs } = document;
  const ordered: AppConfigDocument = {
    ...document,
    inputs: inputs && { group: some(inputs.group), input: some(inputs.input) },
    permissions: permissions && {
      ...permissions,
      custom_roles: byName(permissions.custom_roles),
      named_policies: byName(permissions.named_policies),
    },
    break_glass: listOf("role", byName(document.break_glass?.role)),
    operation_roles: document.operation_roles && {
      ...document.operation_roles,
      rules: some(document.operation_roles.rules),
    },
    policies: listOf("policy", byName(document.policies?.policy)),
    secrets: listOf("secret", byName(document.secrets?.secret)),
    kubernetes_contexts: listOf("context", byName(document.kubernetes_contexts?.context)),
    trigger_rules: listOf("rule", byName(document.trigger_rules?.rule)),
    components: byName(document.components)?.map((component) =>
      component.type === "external_image" ? { ...component, type: "container_image" } : component,
    ),
    actions: byName(document.actions),
    runbooks: byName(document.runbooks)?.map((runbook) => ({
      ...runbook,
      steps: runbook.steps.map((step) =>
        step.type === "deploy" ? { ...step, type: "component_deploy" as const } : step,
      ),
    })),
    branches: byName(document.branches),
    installs: byName(document.installs),
  };
  return defined(withoutEmpty(ordered)) as AppConfigDocument; // members that are not there may be left out
}

/** A value without members that are undefined; what has none of them is not copied. */
function defined(value: unknown): unknown {
  if (Array.isArray(value)) {
    const isFlat = value.every((one) => typeof one !== "object");
    return isFlat ? value : value.map(defined);
  }
  if (!isTable(value)) return value;
  const members = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(members.map(([key, one]) => [key, defined(one)]));
}

const some = <Item>(list: Item[] | undefined): Item[] | undefined =>
  list === undefined || list.length === 0 ? undefined : list;

function byName<Item extends { readonly name: string }>(
  list: Item[] | undefined,
): Item[] | undefined {
  return some(list)?.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function listOf<Key extends string, Item>(
  key: Key,
  list: Item[] | undefined,
): Record<Key, Item[]> | undefined {
  return list && ({ [key]: list } as Record<Key, Item[]>); // its one member
}

const isEmpty = (section: object | undefined): boolean =>
  section === undefined || Object.values(section).every((one) => one === undefined);

function withoutEmpty(document: AppConfigDocument): AppConfigDocument {
  const { inputs, permissions, operation_roles: operations, ...rest } = document;
  return {
    ...rest,
    ...(!isEmpty(operations) && { operation_roles: operations }),
    ...(!isEmpty(inputs) && { inputs }),
    ...(!isEmpty(permissions) && { permissions }),
  };
}

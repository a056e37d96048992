import { html } from "hono/html";
import { type NewRole, type Role } from "../../../shared/api/roles.ts";
import { type Permission, permissions as allPermissions } from "../../../shared/permissions.ts";
import type { Html, View } from "../page.ts";
import { boxesField } from "../parts/boxes.ts";

type Policies = NewRole["policies"];

/** A box for each permission that a role of the org can have of this managed one, and that the person has; by area. */
export function permissionBoxes(
  view: View,
  base: Role,
  { chosen, entered }: { readonly chosen: readonly string[]; readonly entered: URLSearchParams },
): Html {
  const most = new Set<string>([...base.permissions, ...base.bound_permissions]);
  const open = allPermissions.filter((one) => most.has(one) && view.actor.permissions.has(one));
  return html`${[...byArea(open)].map(([area, names]) =>
    boxesField(
      { name: "permissions", legend: area, values: names.map((one) => [one, one]), chosen },
      entered,
    ),
  )}`;
}

/** What is ticked as policies, one an area; what is no permission is left to the API to refuse. */
export function policiesOf(form: URLSearchParams): Policies {
  const ticked = form.getAll("permissions") as Permission[]; // the API checks them
  return [...byArea(ticked)].map(([name, permissions]) => ({ name, permissions }));
}

/** Whether a role permits what these policies do, whatever they are called. */
export function isSame(role: Role, policies: Policies): boolean {
  return sorted(permittedBy(role)) === sorted(policies.flatMap(({ permissions }) => permissions));
}

/** All that a role permits, with tokens of every kind. */
export const permittedBy = ({ permissions, bound_permissions: bound }: Role): string[] => [
  ...permissions,
  ...bound,
];

const sorted = (names: readonly string[]): string => [...new Set(names)].toSorted().join(" ");

function byArea<Name extends string>(names: readonly Name[]): Map<string, Name[]> {
  return Map.groupBy(names, (name) => name.split(".")[0] ?? name);
}

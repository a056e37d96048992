import { policyNames, type Role } from "../../shared/api/roles.ts";
import { permissionsIn } from "./permissions-in.ts";
import { factsOf, type ListedRole } from "./row.ts";

/** A role as the API shows it. */
export function toRole(row: ListedRole): Role {
  const { grants: _, creator, policies, ...shown } = row;
  const permissions = [...new Set(permissionsIn(factsOf(row), false))];
  const bound = permissionsIn(factsOf(row), true);
  return {
    ...shown,
    permissions,
    bound_permissions: bound.filter((one) => !permissions.includes(one)),
    policies: policies.map(({ name: title, permissions: names }) => ({
      ...(row.managed && nameOf(title)),
      title,
      permissions: allow(names),
    })),
    ...(creator !== null && { createdBy: creator }),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** Permissions as a map, as clients know them. */
export const allow = (permissions: Iterable<string>): Record<string, "allow"> =>
  Object.fromEntries([...permissions].map((one) => [one, "allow"]));

function nameOf(title: string) {
  const name = policyNames.find((one) => one === title.replaceAll("-", "_"));
  return name === undefined ? {} : { name };
}

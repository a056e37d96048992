import type { Role } from "../../shared/api/roles.ts";
import { permissionsIn } from "./permissions-in.ts";
import { factsOf, type ListedRole } from "./row.ts";

/** A role as the API shows it. */
export function toRole(row: ListedRole): Role {
  const { grants: _, creator, ...shown } = row;
  const permissions = [...new Set(permissionsIn(factsOf(row), false))];
  const bound = permissionsIn(factsOf(row), true);
  return {
    ...shown,
    permissions,
    bound_permissions: bound.filter((one) => !permissions.includes(one)),
    createdBy: creator,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

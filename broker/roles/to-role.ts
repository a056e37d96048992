import type { Role } from "../../shared/api/roles.ts";
import { boundPermissions, rolePermissions } from "../../shared/permissions.ts";
import type { ListedRole } from "./row.ts";

/** A role as the API shows it. */
export function toRole(row: ListedRole): Role {
  const { grants, creator, ...shown } = row;
  return {
    ...shown,
    permissions: [...new Set([...rolePermissions[row.role_type], ...grants])],
    bound_permissions: [...(boundPermissions[row.role_type] ?? [])],
    createdBy: creator,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

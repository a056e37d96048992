import { listRolesRoute, type Role } from "../../../shared/api/roles.ts";
import type { Permission } from "../../../shared/permissions.ts";
import type { View } from "../page.ts";

/** All roles: the service's own and the org's. */
export async function readRoles(view: View): Promise<readonly Role[]> {
  return (await view.ask(listRolesRoute, {})).items;
}

/** Those that whoever is signed in may give: with no permission that they lack themselves. */
export function givable(view: View, roles: readonly Role[], to: "account" | "token"): Role[] {
  return roles.filter(
    ({ applies_to: kinds, assignable, permissions }) =>
      kinds.includes(to) &&
      (to === "token" || assignable) &&
      permissions.every((one) => view.actor.permissions.has(one as Permission)), // as the table of roles has them
  );
}

/** A role as a person knows it: the org's own with what it narrows. */
export const roleName = ({ title, org_id: org, role_type: type }: Role): string =>
  org === null ? title : `${title} (a part of ${type})`;

/** How the API is told of a role: a managed one by its type. */
export const roleRef = ({ id, managed, role_type: type }: Role): string => (managed ? type : id);

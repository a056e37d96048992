import { type Pointer, problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Actor } from "../tokens/actor.ts";
import { requireOwnPermissions } from "../tokens/token-rules.ts";
import { permissionsIn } from "./permissions-in.ts";
import { listRoles } from "./queries.ts";
import { factsOf } from "./row.ts";

type RoleGiving = {
  readonly giver?: Pick<Actor, "permissions"> | undefined;
  /** Where the request names its one role, if not in a list `roles`. */
  readonly pointer?: Pointer | undefined;
};

/**
 * The ids of roles named by id or by managed role_type; 422 for one that accounts of this org cannot be given, 403 for
 * a role with permissions that the giver lacks (no giver: the database's own machine).
 */
export async function findRoleIds(
  db: Db,
  org: OrgId,
  names: readonly string[],
  { giver, pointer }: RoleGiving = {},
): Promise<string[]> {
  const roles = await listRoles(db, org);
  const found = names.map((name) =>
    roles.find((role) => role.id === name || (role.managed && role.role_type === name)),
  );
  const errors = found.flatMap((role, at) => {
    if (role?.assignable === true) return [];
    const place = pointer ?? (`#/roles/${at}` as const);
    return role === undefined
      ? [
          {
            pointer: place,
            code: "role_not_found",
            detail: "This role does not exist in this org.",
          },
        ]
      : [
          {
            pointer: place,
            code: "role_not_assignable",
            detail: "This role cannot be given to accounts.",
          },
        ];
  });
  if (errors.length > 0) throw problem.invalid(errors);
  const given = found.flatMap((role) =>
    role === undefined ? [] : permissionsIn(factsOf(role), false),
  );
  if (giver !== undefined) requireOwnPermissions(giver, given);
  return [...new Set(found.flatMap((role) => (role === undefined ? [] : [role.id])))];
}

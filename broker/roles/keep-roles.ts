import type { NewRole, RoleChanges } from "../../shared/api/roles.ts";
import { permissionsOfRole } from "../../shared/permissions.ts";
import { type ProblemError, problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { keyedId } from "../database/keyed-id.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Actor } from "../tokens/actor.ts";
import { requireOwnPermissions, requireOwnToTake } from "../tokens/token-rules.ts";
import { permissionsIn } from "./permissions-in.ts";
import { changeRole, dropRole, insertRole, listRoles } from "./queries.ts";
import { factsOf, type ListedRole } from "./row.ts";

/** Lists of roles are answered whole. */
const mostRoles = 100;

/** Makes a role of the caller's org that permits a part of what a managed one does, and no more than the caller may. */
export async function createRole(
  db: Db,
  by: Pick<Actor, "id" | "orgId" | "permissions" | "requestSeed">,
  role: NewRole,
): Promise<ListedRole> {
  const errors = faultsOf(role);
  if (errors.length > 0) throw problem.invalid(errors);
  requireOwnPermissions(
    by,
    role.policies.flatMap(({ permissions }) => permissions),
  );
  const id = keyedId("rol", by.requestSeed);
  const made = by.requestSeed && (await listRoles(db, by.orgId)).find((one) => one.id === id);
  if (made) return made;
  if (!(await insertRole(db, by.orgId, { ...role, id, createdById: by.id }, mostRoles))) {
    const detail = `An org has ${mostRoles} roles of its own at most. Delete one that nobody has.`;
    throw problem.conflict("too_many_roles", detail);
  }
  return await requireRole(db, by.orgId, id);
}

/** Changes a role of the org, which permits no more than a managed one and the caller do, and did before. */
export async function updateRole(
  db: Db,
  by: Pick<Actor, "orgId" | "permissions">,
  id: string,
  changes: RoleChanges,
): Promise<ListedRole> {
  for (let tries = 0; tries < mostTries; tries++) {
    const role = await requireOwnRole(db, by.orgId, id);
    requireChangeable(by, role, changes);
    const seen = role.updated_at.toISOString();
    const outcome = await changeRole(db, by.orgId, id, { ...changes, seen });
    if (outcome === "changed") return await requireRole(db, by.orgId, id);
    if (outcome === "not-found") throw problem.notFound("role");
  }
  throw problem.conflict("role_busy", "The role is being changed by other requests. Try again.");
}

const mostTries = 10;

/** Whoever has the role may do what it says then: who changes that has all that is given and all that is taken. */
function requireChangeable(
  by: Pick<Actor, "permissions">,
  role: ListedRole,
  { policies }: RoleChanges,
): void {
  if (policies === undefined) return;
  const errors = faultsOf({ role_type: role.role_type, policies });
  if (errors.length > 0) throw problem.invalid(errors);
  const given = policies.flatMap(({ permissions }) => permissions);
  requireOwnPermissions(by, given);
  const before = permissionsIn(factsOf(role), false);
  requireOwnToTake(
    by,
    before.filter((one) => !given.includes(one)),
  );
}

/** Deletes a role of the org; 409 while an account, a token or an open invitation has it. */
export async function deleteRole(db: Db, org: OrgId, id: string): Promise<void> {
  await requireOwnRole(db, org, id);
  if (await dropRole(db, org, id)) return;
  const detail =
    "An account, a token or an open invitation has this role. Take it from them first.";
  throw problem.conflict("role_in_use", detail);
}

/** A role that is the org's or the service's; 404 for any other. */
export async function requireRole(db: Db, org: OrgId, id: string): Promise<ListedRole> {
  const role = (await listRoles(db, org)).find((one) => one.id === id);
  if (role === undefined) throw problem.notFound("role");
  return role;
}

/** One that is the org's own: 409 for one of the service. */
async function requireOwnRole(db: Db, org: OrgId, id: string): Promise<ListedRole> {
  const role = await requireRole(db, org, id);
  if (role.org_id !== null) return role;
  const detail = "This role is the service's own: it cannot be changed or deleted.";
  throw problem.conflict("role_not_own", detail);
}

type Policies = Pick<ListedRole, "role_type"> & Pick<NewRole, "policies">;

function faultsOf({ role_type: type, policies }: Policies): ProblemError[] {
  const all = permissionsOfRole(type, true);
  const names = policies.map(({ name }) => name);
  return policies.flatMap(({ name, permissions }, at) => [
    ...(names.indexOf(name) === at
      ? []
      : [
          {
            pointer: `#/policies/${at}/name` as const,
            code: "duplicate_name",
            detail: "Another policy of this role has this name.",
          },
        ]),
    ...permissions.flatMap((permission, place) =>
      all.includes(permission)
        ? []
        : [
            {
              pointer: `#/policies/${at}/permissions/${place}` as const,
              code: "not_in_role",
              detail: `The role ${type} does not permit ${permission}, and a role of an org can only narrow it.`,
            },
          ],
    ),
  ]);
}

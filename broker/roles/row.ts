import { z } from "zod";
import type { Role } from "../../shared/api/roles.ts";
import { grantablePermissions, type Permission, roleTypes } from "../../shared/permissions.ts";
import type { RoleFacts } from "./permissions-in.ts";

/** A row of `roles`. */
export const roleRow = z.object({
  id: z.string(),
  org_id: z.string().nullable(),
  role_type: z.enum(roleTypes),
  title: z.string(),
  description: z.string(),
  applies_to: z.array(z.enum(["account", "token"])),
  assignable: z.boolean(),
  managed: z.boolean(),
  grants: z.array(z.enum(grantablePermissions)),
  created_at: z.date(),
  updated_at: z.date(),
  created_by_id: z.string(),
});
export type RoleRow = z.infer<typeof roleRow>;

/** A role with what it permits by name, and the account that made it. */
export type ListedRole = RoleRow & {
  readonly policies: { readonly name: string; readonly permissions: Permission[] }[];
  readonly creator: Required<Role>["createdBy"] | null;
};

/** What decides what the role permits: an org's own that has policies is narrowed to them. */
export function factsOf({ role_type: type, grants, org_id: org, policies }: ListedRole): RoleFacts {
  const isNarrowed = org !== null && policies.length > 0;
  return { type, grants, left: isNarrowed ? policies.flatMap((one) => one.permissions) : null };
}

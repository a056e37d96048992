import type { Account } from "../../shared/api/account.ts";
import type { OrgAccount } from "../../shared/api/accounts.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { permissionsIn } from "../roles/permissions-in.ts";
import { factsOf, type ListedRole } from "../roles/row.ts";
import { allow, toRole } from "../roles/to-role.ts";
import type { Member } from "./row.ts";

/** An account as the API shows it in one org; `roles` are all roles of that org. */
export function toOrgAccount(row: Member, roles: readonly ListedRole[]): OrgAccount {
  const own = roles.filter((role) => row.role_ids.includes(role.id));
  return {
    id: row.id,
    account_type: row.account_type,
    name: row.name,
    email: row.email,
    subject: row.subject,
    org_ids: row.org_ids,
    permissions: [...new Set(own.flatMap((role) => permissionsIn(factsOf(role), false)))],
    roles: own.map(toRole),
    user_journeys: [],
    created_at: row.created_at.toISOString(),
    created_by_id: row.created_by_id,
    updated_at: row.updated_at.toISOString(),
  };
}

/** The same as command lines and SDKs know it: what its roles permit is said for this org alone. */
export function toAccount(org: OrgId, row: Member, roles: readonly ListedRole[]): Account {
  const shown = toOrgAccount(row, roles);
  return { ...shown, permissions: { [org]: allow(shown.permissions) } };
}

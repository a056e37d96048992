import type { Permission } from "../../shared/permissions.ts";
import { type Pointer, problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { keyedId } from "../database/keyed-id.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { findRoleIds } from "../roles/find-role-ids.ts";
import { permissionsIn } from "../roles/permissions-in.ts";
import { listRoles } from "../roles/queries.ts";
import { factsOf } from "../roles/row.ts";
import type { Actor } from "../tokens/actor.ts";
import type { Authenticator } from "../tokens/authenticator.ts";
import { requireOwnPermissions, requireOwnToTake } from "../tokens/token-rules.ts";
import { type InviteRow, inviteRows } from "./invite-rows.ts";
import {
  acceptInviteRow,
  findAnyInvite,
  insertInvite,
  lacksRoleNow,
  prolongInvite,
  revokeInviteRow,
} from "./queries.ts";

/** Invites an account to the caller's org, with roles that permit no more than the caller may. */
export async function createInvite(
  db: Db,
  by: Actor,
  wanted: {
    readonly accountId: string;
    readonly roles: readonly string[];
    /** Where the request names its one role, if not in a list. */
    readonly roleAt?: Pointer | undefined;
    readonly livesNs: number;
  },
): Promise<InviteRow> {
  const roleIds = await findRoleIds(db, by.orgId, wanted.roles, {
    giver: by,
    pointer: wanted.roleAt,
  });
  const { accountId, livesNs } = wanted;
  const id = keyedId("inv", by.requestSeed);
  const before = by.requestSeed && (await inviteRows.find(db, by.orgId, { invite_id: id }));
  if (before) return before;
  const made = { id, accountId, roleIds, livesNs, createdById: by.id };
  const outcome = await insertInvite(db, by.orgId, made);
  if (outcome === "created") return await requireInvite(db, by.orgId, id);
  if (outcome === "member") {
    const detail = "This account is already in the org. Change its roles instead.";
    throw problem.conflict("already_member", detail);
  }
  if (outcome === "invited") {
    const detail = "This account is already invited and has not answered yet.";
    throw problem.conflict("already_invited", detail);
  }
  const detail = "There is no such account.";
  throw problem.invalid([{ pointer: "#/account_id", code: "account_not_found", detail }]);
}

/** Gives the org's invitation its time again; 409 once it is answered or revoked. */
export async function resendInvite(
  db: Db,
  { orgId: org, permissions }: Pick<Actor, "orgId" | "permissions">,
  asked: { readonly id: string; readonly livesNs: number },
): Promise<InviteRow> {
  requireOwnPermissions({ permissions }, await permissionsGiven(db, org, asked.id));
  const isDone = await prolongInvite(db, org, asked);
  const row = await requireInvite(db, org, asked.id);
  if (!isDone) await requireOpen(db, row);
  return row;
}

/** Revokes the org's invitation; again changes nothing, and 409 once it is accepted. */
export async function revokeInvite(
  db: Db,
  by: Pick<Actor, "id" | "orgId" | "permissions">,
  id: string,
): Promise<InviteRow> {
  requireOwnToTake(by, await permissionsGiven(db, by.orgId, id));
  const isDone = await revokeInviteRow(db, by.orgId, { id, byId: by.id });
  const row = await requireInvite(db, by.orgId, id);
  if (!isDone && row.revoked_at === null) await requireOpen(db, row);
  return row;
}

/** Makes the caller's account a member of the org that invited it, once. */
export async function acceptInvite(
  { db, authenticator }: { readonly db: Db; readonly authenticator: Authenticator },
  by: Pick<Actor, "accountId">,
  id: string,
): Promise<InviteRow> {
  const asked = await findAnyInvite(db, id);
  if (asked === undefined) throw problem.notFound("invite");
  const accountId = requireAccount(by);
  if (asked.account_id !== accountId)
    throw problem.forbidden("not_your_invite", "This invitation is for another account.");
  const isDone = await acceptInviteRow(db, { id, accountId });
  const row = (await findAnyInvite(db, id)) ?? asked;
  if (!isDone) await requireOpen(db, row);
  authenticator.forget([accountId]);
  return row;
}

/** The account that the caller acts for; 403 for a token that acts for itself. */
export function requireAccount({ accountId }: Pick<Actor, "accountId">): string {
  if (accountId !== null) return accountId;
  throw problem.forbidden(
    "no_account",
    "This token acts for itself, not for an account. Use a person's own token (kind pat).",
  );
}

/** What the roles permit that an invitation brings. */
async function permissionsGiven(db: Db, org: OrgId, id: string): Promise<readonly Permission[]> {
  const { role_ids: ids } = await requireInvite(db, org, id);
  const roles = (await listRoles(db, org)).filter((role) => ids.includes(role.id));
  return roles.flatMap((role) => permissionsIn(factsOf(role), false));
}

async function requireInvite(db: Db, org: OrgId, id: string): Promise<InviteRow> {
  const row = await inviteRows.find(db, org, { invite_id: id });
  if (row === undefined) throw problem.notFound("invite");
  return row;
}

/** Throws why nothing can be done with an invitation any more. */
async function requireOpen(db: Db, { id, status }: InviteRow): Promise<void> {
  if (status === "accepted")
    throw problem.conflict("invite_used", "This invitation was already accepted.");
  if (status === "revoked")
    throw problem.conflict("invite_revoked", "This invitation was revoked.");
  if (await lacksRoleNow(db, id))
    throw problem.conflict(
      "invite_role_gone",
      "A role of this invitation was deleted in the meantime. Revoke it, then invite the account again with roles that exist.",
    );
  if (status === "expired")
    throw problem.conflict("invite_expired", "This invitation has expired. Ask for it again.");
  throw problem.conflict(
    "invite_busy",
    "This invitation is being changed by other requests. Try again.",
  );
}

import type { Permission } from "../../shared/permissions.ts";
import { type Pointer, problem } from "../../shared/problem.ts";
import { mintToken } from "../../shared/token.ts";
import { findMember } from "../accounts/queries.ts";
import type { Db } from "../database/connect.ts";
import { keyedId } from "../database/keyed-id.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { findRoleIds } from "../roles/find-role-ids.ts";
import { permissionsIn } from "../roles/permissions-in.ts";
import { listRoles } from "../roles/queries.ts";
import { factsOf } from "../roles/row.ts";
import type { Actor } from "../tokens/actor.ts";
import type { Authenticator } from "../tokens/authenticator.ts";
import { findFiler } from "../tokens/find-filer.ts";
import { lackedBy, requireOwnPermissions, requireOwnToTake } from "../tokens/token-rules.ts";
import { tokenDigest } from "../tokens/token-secret.ts";
import { type InviteRow, inviteRows } from "./invite-rows.ts";
import {
  acceptInviteRow,
  findAnyInvite,
  findSender,
  insertInvite,
  lacksRoleNow,
  prolongInvite,
  revokeInviteRow,
} from "./queries.ts";

/** An invitation, and of one to an address the secret that accepts it: it is stored nowhere. */
export type ToldInvite = { readonly row: InviteRow; readonly secret?: string };

/** Invites an account, or whoever has an address, to the caller's org, with roles that permit no more than the caller may. */
export async function createInvite(
  db: Db,
  by: Actor,
  wanted: {
    readonly to: { readonly accountId: string } | { readonly email: string };
    readonly roles: readonly string[];
    /** Where the request names its one role, if not in a list. */
    readonly roleAt?: Pointer | undefined;
    readonly livesNs: number;
  },
): Promise<ToldInvite> {
  const roleIds = await findRoleIds(db, by.orgId, wanted.roles, {
    giver: by,
    pointer: wanted.roleAt,
  });
  const { to, livesNs } = wanted;
  const id = keyedId("inv", by.requestSeed);
  const before = by.requestSeed && (await inviteRows.find(db, by.orgId, { invite_id: id }));
  if (before && before.email !== "") return await resendInvite(db, by, { id, livesNs }); // nobody was told its secret
  if (before) return { row: before };
  const secret = mintToken("inv");
  const whom = "email" in to ? { email: to.email, secretDigest: tokenDigest(secret) } : to;
  const made = { id, to: whom, roleIds, livesNs, createdById: by.id };
  const outcome = await insertInvite(db, by.orgId, made);
  if (outcome === "created")
    return { row: await requireInvite(db, by.orgId, id), ...("email" in to && { secret }) };
  if (outcome === "member") {
    const detail = "This account is already in the org. Change its roles instead.";
    throw problem.conflict("already_member", detail);
  }
  if (outcome === "invited") {
    const whose = "email" in to ? "This address" : "This account";
    const detail = `${whose} is already invited and has not answered yet. Resend that invitation, or revoke it.`;
    throw problem.conflict("already_invited", detail);
  }
  const detail = "There is no such account.";
  throw problem.invalid([{ pointer: "#/account_id", code: "account_not_found", detail }]);
}

/** Gives the org's invitation its time again, and one to an address another secret; 409 once it is answered or revoked. */
export async function resendInvite(
  db: Db,
  { id: byId, orgId: org, permissions }: Pick<Actor, "id" | "orgId" | "permissions">,
  asked: { readonly id: string; readonly livesNs: number },
): Promise<ToldInvite> {
  requireOwnPermissions({ permissions }, await permissionsGiven(db, org, asked.id));
  const secret = mintToken("inv");
  const isDone = await prolongInvite(db, org, {
    ...asked,
    byId,
    secretDigest: tokenDigest(secret),
  });
  const row = await requireInvite(db, org, asked.id);
  if (!isDone) await requireOpen(db, row);
  return { row, ...(row.email !== "" && { secret }) };
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

/** Makes the caller's account a member of the org that invited it, or whose invitation to an address has this secret, once. */
export async function acceptInvite(
  { db, authenticator }: { readonly db: Db; readonly authenticator: Authenticator },
  by: Pick<Actor, "accountId">,
  { id, secret }: { readonly id: string; readonly secret?: string | undefined },
): Promise<InviteRow> {
  const asked = await findAnyInvite(db, id);
  if (asked === undefined) throw problem.notFound("invite");
  const accountId = requireAccount(by);
  const secretDigest = secret === undefined ? null : tokenDigest(secret);
  if (asked.account_id !== accountId) await requireSecret(db, asked, secretDigest);
  const isDone = await acceptInviteRow(db, { id, accountId, secretDigest });
  const row = (await findAnyInvite(db, id)) ?? asked;
  if (!isDone) {
    await requireNoMember(db, row, accountId);
    await requireOpen(db, row);
  }
  authenticator.forget([accountId]);
  return row;
}

/** Throws unless the secret is that of an invitation to an address, whose sender may still give what it brings. */
async function requireSecret(db: Db, invite: InviteRow, digest: Buffer | null): Promise<void> {
  if (invite.email === "")
    throw problem.forbidden("not_your_invite", "This invitation is for another account.");
  const sender = digest && (await findSender(db, invite.id, digest));
  if (!sender)
    throw problem.forbidden(
      "not_your_invite",
      "This invitation needs its secret, which who sent it was told once. A resent one has another.",
    );
  const org = invite.org_id as OrgId; // its row says so
  const { permissions } = await findFiler(db, org, sender);
  if (lackedBy({ permissions }, await permissionsGiven(db, org, invite.id)) !== undefined)
    throw problem.conflict(
      "inviter_lacks_role",
      "Who sent this invitation may not give its roles any more. Ask for it to be sent again by somebody who may.",
    );
}

/** Throws where an account that is in the org already tries an invitation to an address. */
async function requireNoMember(db: Db, invite: InviteRow, accountId: string): Promise<void> {
  if (invite.status !== "pending" || invite.account_id === accountId) return;
  const org = invite.org_id as OrgId; // its row says so
  if ((await findMember(db, org, accountId, null)) === undefined) return;
  const detail = "Your account is in this org already. Ask for other roles instead.";
  throw problem.conflict("already_member", detail);
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

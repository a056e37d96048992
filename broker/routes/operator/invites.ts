import {
  acceptInviteRoute,
  createInviteRoute,
  type Invite,
  listOwnInvitesRoute,
  resendInviteRoute,
  revokeInviteRoute,
} from "../../../shared/api/invites.ts";
import type { Broker } from "../../broker.ts";
import { newId } from "../../database/new-id.ts";
import type { ListRequest } from "../../database/page-request.ts";
import { answerList } from "../../http/answer/answer-list.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { openResource } from "../../http/resources/open-resource.ts";
import { type InviteRow, inviteRows } from "../../invites/invite-rows.ts";
import {
  acceptInvite,
  createInvite,
  requireAccount,
  resendInvite,
  revokeInvite,
  type ToldInvite,
} from "../../invites/keep-invites.ts";
import { listInvitesOf } from "../../invites/queries.ts";
import type { OrgId } from "../../orgs/org-id.ts";

/** /v1/orgs/current/invites, /v1/account/invites, and all below them */
export const keepInvites: RegisterRoutes = (app, broker) => {
  keepOrgInvites(app, broker);
  keepOwnInvites(app, broker);
};

const keepOrgInvites: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(createInviteRoute, async ({ c, actor, body }) => {
    const { account_id: accountId = "", email, role_type: role, expires_in: livesNs } = body;
    const to = email === undefined ? { accountId } : { email }; // its schema asks for one of both
    const roles = body.roles ?? [role ?? "org_read_only"];
    const roleAt = body.roles === undefined ? "#/role_type" : undefined;
    return toldOnce(c, await createInvite(db, actor, { to, roles, roleAt, livesNs }));
  });
  openResource(app, broker, inviteRows);
  app.handle(
    resendInviteRoute,
    async ({ c, actor, params: { invite_id: id }, body: { expires_in: livesNs } }) =>
      toldOnce(c, await resendInvite(db, actor, { id, livesNs })),
  );
  app.handle(revokeInviteRoute, async ({ actor, params: { invite_id: id } }) =>
    inviteRows.toItem(await revokeInvite(db, actor, id)),
  );
};

/** An answer with a secret is not kept for a request that repeats this one. */
function toldOnce(c: AppContext, { row, secret }: ToldInvite): Invite & { secret?: string } {
  if (secret === undefined) return inviteRows.toItem(row);
  c.set("tellsOnce", true);
  return { ...inviteRows.toItem(row), secret };
}

const keepOwnInvites: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(listOwnInvitesRoute, async ({ c, actor, query }) => {
    const accountId = requireAccount(actor);
    return await answerList(c, query, {
      read: (request: ListRequest) => listInvitesOf(db, accountId, request),
      toItem: (row) => inviteRows.toItem(row),
    });
  });
  app.handle(
    acceptInviteRoute,
    async ({ c, actor, params: { invite_id: id }, body: { secret } }) => {
      const row = await acceptInvite(broker, actor, { id, secret });
      await tellOrg(c, broker, row);
      return inviteRows.toItem(row);
    },
  );
};

/** The gate tells it in the org that the request acts in; the org that has a new member is told, too. */
async function tellOrg(c: AppContext, { audit }: Broker, invite: InviteRow): Promise<void> {
  const asked = c.get("act");
  if (asked === undefined || asked.entry.org_id === invite.org_id) return;
  const org_id = invite.org_id as OrgId; // its row says so
  const end = { outcome: "allowed", status: 200, code: "", age_ms: 0, count: 1 } as const;
  await audit.write({ ...asked.entry, id: newId("aud"), org_id, ...end });
}

import {
  acceptInviteRoute,
  createInviteRoute,
  getOwnAccountRoute,
  listOwnInvitesRoute,
  resendInviteRoute,
  revokeInviteRoute,
} from "../../../shared/api/invites.ts";
import { problem } from "../../../shared/problem.ts";
import { findMember } from "../../accounts/queries.ts";
import { toAccount } from "../../accounts/to-account.ts";
import type { Broker } from "../../broker.ts";
import { newId } from "../../database/new-id.ts";
import type { ListRequest } from "../../database/page-request.ts";
import { answerPage } from "../../http/answer/answer-listing.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { openResource } from "../../http/resources/open-resource.ts";
import { type InviteRow, inviteRows } from "../../invites/invite-rows.ts";
import {
  acceptInvite,
  createInvite,
  requireAccount,
  resendInvite,
  revokeInvite,
} from "../../invites/keep-invites.ts";
import { listInvitesOf } from "../../invites/queries.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import { listRoles } from "../../roles/queries.ts";

/** /v1/orgs/current/invites and all below it */
export const keepInvites: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.openapi(createInviteRoute, async (c) => {
    const { account_id: accountId, roles, expires_in: livesNs } = c.req.valid("json");
    const made = await createInvite(db, c.get("actor"), { accountId, roles, livesNs });
    return c.json(inviteRows.toItem(made), 201);
  });
  openResource(app, broker, inviteRows);
  app.openapi(resendInviteRoute, async (c) => {
    const { invite_id: id } = c.req.valid("param");
    const { expires_in: livesNs } = c.req.valid("json");
    return c.json(inviteRows.toItem(await resendInvite(db, c.get("actor"), { id, livesNs })), 200);
  });
  app.openapi(revokeInviteRoute, async (c) => {
    const { invite_id: id } = c.req.valid("param");
    return c.json(inviteRows.toItem(await revokeInvite(db, c.get("actor"), id)), 200);
  });
};

/** /v1/account and all below it */
export const keepOwnAccount: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.openapi(getOwnAccountRoute, async (c) => {
    const { orgId, accountId } = c.get("actor");
    const row = accountId === null ? undefined : await findMember(db, orgId, accountId, accountId);
    if (row === undefined) throw problem.notFound("account");
    return c.json(toAccount(row, await listRoles(db, orgId)), 200);
  });
  app.openapi(listOwnInvitesRoute, async (c) => {
    const accountId = requireAccount(c.get("actor"));
    const page = await answerPage(c, c.req.valid("query"), {
      read: (request: ListRequest) => listInvitesOf(db, accountId, request),
      toItem: (row) => inviteRows.toItem(row),
    });
    return c.json(page, 200);
  });
  app.openapi(acceptInviteRoute, async (c) => {
    const row = await acceptInvite(broker, c.get("actor"), c.req.valid("param").invite_id);
    await tellOrg(c, broker, row);
    return c.json(inviteRows.toItem(row), 200);
  });
};

/** The gate tells it in the org that the request acts in; the org that has a new member is told, too. */
async function tellOrg(c: AppContext, { audit }: Broker, invite: InviteRow): Promise<void> {
  const asked = c.get("act");
  if (asked === undefined || asked.entry.org_id === invite.org_id) return;
  const org_id = invite.org_id as OrgId; // its row says so
  const end = { outcome: "allowed", status: 200, code: "", age_ms: 0, count: 1 } as const;
  await audit.write({ ...asked.entry, id: newId("aud"), org_id, ...end });
}

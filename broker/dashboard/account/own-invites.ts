import { html } from "hono/html";
import { acceptInviteRoute, listOwnInvitesRoute } from "../../../shared/api/invites.ts";
import { findInvite } from "../access/find-invite.ts";
import type { Action, Html, View } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { table } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";

/** To which orgs a person is invited; nothing for who has no account, or no invitation. */
export async function ownInvites(view: View): Promise<Html> {
  if (view.actor.accountId === null) return html``;
  const { items } = await view.ask(listOwnInvitesRoute, { query: {} });
  if (items.length === 0) return html``;
  return html`<h2>Invitations</h2>
    ${table(
      "Orgs that invite you, the newest first",
      [
        { head: "Org", cell: ({ org_name: name }) => name },
        { head: "State", cell: ({ status }) => badge(status) },
        { head: "Until", cell: ({ expires_at: at }) => timeAgo(at, view.nowMs) },
        {
          head: "Act",
          cell: ({ id, status }) =>
            status === "pending" ? html`<a href="/account/invites/${id}/accept">Accept…</a>` : "–",
        },
      ],
      items,
    )}`;
}

/** Makes the person a member of the org that invites them. */
export const acceptInvite: Action = {
  path: "/account/invites/{invite_id}/accept",
  permission: "tokens.own",
  back: () => "/account",
  async ask(view) {
    const { org_name: org } = await findInvite(view, "own");
    return {
      title: "Accept an invitation",
      text: html`<p>
        You can act in ${org}, which invites you, with the roles that it gives you. Your session
        lists it among your orgs.
      </p>`,
      button: "Accept the invitation",
      back: "/account",
    };
  },
  async run(view) {
    const params = { invite_id: view.param("invite_id") };
    const { org_name: name } = await view.ask(acceptInviteRoute, { params, body: {} });
    return { said: `You are a member of ${name} now.`, to: "/account" };
  },
};

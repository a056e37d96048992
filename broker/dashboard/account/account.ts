import { html } from "hono/html";
import { listOrgsRoute } from "../../../shared/api/orgs.ts";
import { getOwnTokenRoute } from "../../../shared/api/tokens.ts";
import type { Html, Page, View } from "../page.ts";
import { facts } from "../parts/facts.ts";
import { table } from "../parts/table.ts";
import { timeAgo, timeAt } from "../parts/time.ts";
import { ownInvites } from "./own-invites.ts";

/** GET /account: who is signed in, with which token, and which orgs that token reaches. */
export const account: Page = {
  path: "/account",
  permission: "tokens.own",
  async render(view) {
    const own = await view.ask(getOwnTokenRoute, {});
    return {
      title: "Your session",
      main: html`<h1>Your session</h1>
        <p>You act with the permissions of this token. When it is revoked, the session ends.</p>
        ${facts([
          ["Token", html`${own.name} <code>${own.hint}</code>`],
          ["Role", own.role ?? "all roles of its account"],
          ["Account", own.account_id ?? "none"],
          ["Created", timeAgo(own.created_at, view.nowMs)],
          ["Valid until", timeAt(own.expires_at)],
        ])}
        <h2>Permissions</h2>
        <p>${own.permissions.map((one) => html`<code>${one}</code> `)}</p>
        ${view.can("orgs.read") ? await orgs(view) : ""} ${await ownInvites(view)}
        <form class="buttons" method="post" action="/sign-out"><button>Sign out</button></form>`,
    };
  },
};

async function orgs(view: View): Promise<Html> {
  const { items } = await view.ask(listOrgsRoute, { query: { limit: 100 } });
  return html`<h2>Orgs</h2>
    ${table(
      "Orgs that you reach",
      [
        { head: "Org", cell: ({ name }) => name },
        { head: "Id", cell: ({ id }) => html`<span class="id">${id}</span>` },
        {
          head: "Shown here",
          cell: ({ id }) =>
            id === view.actor.orgId
              ? "shown now"
              : html`<form method="post" action="/shown-org">
                  <input type="hidden" name="org_id" value="${id}" /><button>Show</button>
                </form>`,
        },
      ],
      items,
    )}`;
}

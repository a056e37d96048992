import { html } from "hono/html";
import { type Invite, invites } from "../../../shared/api/invites.ts";
import type { Role } from "../../../shared/api/roles.ts";
import type { Html, Page, View } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { choices, crumbs } from "../parts/choices.ts";
import { readFilters } from "../parts/filters.ts";
import { type Column, empty, pager, table } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";
import { whomOf } from "./find-invite.ts";
import { readRoles, roleName } from "./role-words.ts";

/** GET /org/invites: who is invited to the org, and who came. */
export const listInvites: Page = {
  path: "/org/invites",
  permission: "accounts.read",
  async render(view) {
    const query = readFilters(view.query, {});
    const [{ items, next_cursor: next }, roles] = await Promise.all([
      view.ask(invites.list, { query }),
      view.can("roles.read") ? readRoles(view) : [],
    ]);
    return {
      title: "Invitations",
      main: html`${crumbs(["Org", "/org"])}
        <h1>Invitations</h1>
        ${choices(view, [
          { label: "Invite somebody", to: "/org/invites/new", permission: "accounts.write" },
        ])}
        ${
          items.length === 0
            ? empty("No invitations", "An invitation lets a person of another org act in this one.")
            : inviteTable(view, items, roles)
        }
        ${pager(view.address, next)}`,
    };
  },
};

function inviteTable(view: View, invites: readonly Invite[], roles: readonly Role[]): Html {
  const { nowMs } = view;
  const columns: Column<Invite>[] = [
    { head: "Whom", cell: (invite) => html`<span class="id">${whomOf(invite)}</span>` },
    { head: "State", cell: ({ status }) => badge(status) },
    { head: "Roles", cell: ({ role_ids: ids }) => rolesOf(ids, roles) },
    {
      head: "Until",
      cell: ({ status, expires_at: at }) =>
        status === "pending" || status === "expired" ? timeAgo(at, nowMs) : "–",
    },
    { head: "Made", kind: "minor", cell: ({ created_at: at }) => timeAgo(at, nowMs) },
  ];
  if (view.can("accounts.write")) columns.push({ head: "Act", cell: act });
  return table("Invitations, the newest first", columns, invites);
}

const rolesOf = (ids: readonly string[], roles: readonly Role[]): string =>
  ids
    .map((id) => {
      const role = roles.find((one) => one.id === id);
      return role === undefined ? id : roleName(role);
    })
    .join(", ");

function act({ id, status }: Invite): Html | string {
  const at = `/org/invites/${id}`;
  const renew = html`<a href="${at}/renew">Renew…</a>`;
  if (status === "pending") return html`${renew} <a href="${at}/revoke">Revoke…</a>`;
  return status === "expired" ? renew : "–";
}

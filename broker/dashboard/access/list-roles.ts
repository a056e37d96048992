import { html } from "hono/html";
import type { Role } from "../../../shared/api/roles.ts";
import type { Html, Page, View } from "../page.ts";
import { crumbs } from "../parts/choices.ts";
import { type Column, empty, table } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";
import { readRoles } from "./role-words.ts";

/** GET /org/roles: the roles of the org, and the managed ones that they narrow. */
export const listRoles: Page = {
  path: "/org/roles",
  permission: "roles.read",
  async render(view) {
    const roles = await readRoles(view);
    const own = roles.filter(({ org_id: org }) => org !== null);
    return {
      title: "Roles",
      main: html`${crumbs(["Org", "/org"])}
        <h1>Roles</h1>
        <h2>Of this org</h2>
        ${
          own.length === 0
            ? empty(
                "No roles of its own",
                "A role of the org permits a part of what a managed one does: Narrow… makes one.",
              )
            : ownTable(view, own)
        }
        <h2>Of the service</h2>
        ${serviceTable(
          view,
          roles.filter(({ org_id: org }) => org === null),
        )}`,
    };
  },
};

const titled: Column<Role> = {
  head: "Role",
  cell: ({ id, title }) => html`<a href="/org/roles/${id}">${title}</a>`,
};
const rest: readonly Column<Role>[] = [
  { head: "Permissions", kind: "figure", cell: ({ permissions }) => permissions.length },
  {
    head: "More if bound",
    kind: "minor figure",
    cell: ({ bound_permissions: bound }) => bound.length || "–",
  },
  {
    head: "Policies",
    kind: "minor",
    cell: ({ policies }) => policies.map(({ title }) => title).join(", "),
  },
];

function ownTable(view: View, roles: readonly Role[]): Html {
  const columns: Column<Role>[] = [
    titled,
    { head: "A part of", kind: "minor", cell: ({ role_type: type }) => html`<code>${type}</code>` },
    ...rest,
    { head: "Changed", kind: "minor", cell: ({ updated_at: at }) => timeAgo(at, view.nowMs) },
  ];
  return table("Roles that this org made", columns, roles);
}

function serviceTable(view: View, roles: readonly Role[]): Html {
  const columns: Column<Role>[] = [
    titled,
    {
      head: "Name",
      kind: "minor",
      cell: ({ managed, role_type: type }) => (managed ? html`<code>${type}</code>` : "–"),
    },
    { head: "For", kind: "minor", cell: ({ applies_to: kinds }) => kinds.join(", ") || "–" },
    ...rest,
  ];
  if (view.can("accounts.write")) columns.push({ head: "Act", cell: narrow });
  return table("Roles of the service, the same in every org", columns, roles);
}

const narrow = ({ id, managed, role_type: type, title }: Role): Html | string =>
  type === "runner" || !managed
    ? "–"
    : html`<a href="/org/roles/${id}/narrow" aria-label="Narrow ${title}">Narrow…</a>`;

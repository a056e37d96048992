import { html } from "hono/html";
import type { Role } from "../../../shared/api/roles.ts";
import { problem } from "../../../shared/problem.ts";
import type { Page, View } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { choices, crumbs, heading } from "../parts/choices.ts";
import { facts } from "../parts/facts.ts";
import { table } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";
import { readRoles } from "./role-words.ts";

/** GET /org/roles/{role_id}: a role and what it permits, by its policies. */
export const showRole: Page = {
  path: "/org/roles/{role_id}",
  permission: "roles.read",
  async render(view) {
    const role = await findRole(view);
    const at = `/org/roles/${role.id}`;
    const isOpen = role.org_id !== null;
    const permission = "accounts.write";
    return {
      title: role.title,
      main: html`${crumbs(["Org", "/org"], ["Roles", "/org/roles"])}
        ${heading(role.title, role.id, badge(isOpen ? "of this org" : "of the service", "off"))}
        ${role.description === "" ? "" : html`<p>${role.description}</p>`}
        ${choices(view, [
          {
            label: "Narrow",
            to: `${at}/narrow`,
            permission,
            isOpen: role.managed && role.role_type !== "runner",
          },
          { label: "Change", to: `${at}/change`, permission, isOpen },
          { label: "Delete", to: `${at}/delete`, permission, isOpen },
        ])}
        ${facts([
          [isOpen ? "A part of" : "Type", html`<code>${role.role_type}</code>`],
          ["For", role.applies_to.join(", ") || "–"],
          ["Made by", role.createdBy?.name || role.created_by_id || "–"],
          ["Changed", timeAgo(role.updated_at, view.nowMs)],
        ])}
        <h2>What it permits</h2>
        ${table(
          "Policies",
          [
            { head: "Policy", cell: ({ title }) => title },
            {
              head: "Permissions",
              cell: ({ permissions }) =>
                html`${Object.keys(permissions).map((one) => html`<code>${one}</code> `)}`,
            },
          ],
          role.policies,
        )}
        ${
          role.bound_permissions.length === 0
            ? ""
            : html`<p class="dim">
                With a token that is bound to an app or an install also:
                ${role.bound_permissions.map((one) => html`<code>${one}</code> `)}
              </p>`
        }`,
    };
  },
};

/** The role of the path; 404 where there is none. */
export async function findRole(view: View): Promise<Role> {
  const role = (await readRoles(view)).find(({ id }) => id === view.param("role_id"));
  if (role === undefined) throw problem.notFound("role");
  return role;
}

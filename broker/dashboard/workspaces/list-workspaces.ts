import { html } from "hono/html";
import { listWorkspacesRoute, type Workspace } from "../../../shared/api/terraform-workspaces.ts";
import type { Html } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { listPage } from "../parts/list-page.ts";
import { table } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";

const yesNo = ["true", "false"] as const;

/** GET /workspaces: the org's Terraform workspaces, and which of them need a look. */
export const listWorkspaces = listPage({
  path: "/workspaces",
  permission: "state.read",
  title: "Workspaces",
  icon: "workspaces",
  one: "workspace",
  filters: {
    owner_id: { label: "Owner" },
    locked: { label: "Locked", values: yesNo },
    blocked: { label: "Blocked", values: yesNo },
    deleted: { label: "Deleted", values: yesNo },
  },
  read: async (view, query) => await view.ask(listWorkspacesRoute, { query }),
  show: (items, { nowMs }) => workspaceTable(items, nowMs),
  whenNone: "A workspace keeps the state of one Terraform module.",
  live: ["minute"],
});

function workspaceTable(workspaces: readonly Workspace[], nowMs: number): Html {
  return table(
    "Workspaces, the newest first",
    [
      {
        head: "Workspace",
        cell: ({ id }) => html`<a class="id" href="/workspaces/${id}">${id}</a>`,
      },
      { head: "State", cell: workspaceState },
      {
        head: "Owner",
        cell: ({ owner_id: id, owner_type: type }) =>
          html`${type || "–"} <span class="id">${id}</span>`,
      },
      { head: "Revision", kind: "figure", cell: ({ revision }) => revision || "–" },
      {
        head: "Terraform",
        kind: "minor",
        cell: ({ state }) => state?.terraform_version || "–",
      },
      {
        head: "Lock holder",
        kind: "minor",
        cell: ({ lock }) => lock?.lock.who || "–",
      },
      { head: "Written", cell: ({ state }) => timeAgo(state?.created_at, nowMs) },
    ],
    workspaces,
  );
}

/** Whether it is free, locked, blocked or deleted. */
export function workspaceState({ lock, block, deleted_at: deletedAt }: Workspace): Html {
  if (deletedAt !== null) return badge("deleted", "off");
  if (lock === null && block === null) return badge("free", "good");
  return html`${block === null ? "" : badge("blocked")} ${lock === null ? "" : badge("locked")}`;
}

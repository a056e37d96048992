import { html } from "hono/html";
import {
  getStateRoute,
  listStateOutputsRoute,
  listStateResourcesRoute,
  type StateResource,
} from "../../../shared/api/terraform-revisions.ts";
import type { Html, Page } from "../page.ts";
import { crumbs, heading } from "../parts/choices.ts";
import { facts } from "../parts/facts.ts";
import { table } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";

const shown = 500;

/** GET /workspaces/{workspace_id}/revisions/{revision}: which resources and outputs a state has; none of their values. */
export const showRevision: Page = {
  path: "/workspaces/{workspace_id}/revisions/{revision}",
  permission: "state.read",
  async render(view) {
    const workspaceId = view.param("workspace_id");
    const params = { workspace_id: workspaceId, state_id: view.param("revision") };
    const [state, resources, outputs] = await Promise.all([
      view.ask(getStateRoute, { params }),
      view.ask(listStateResourcesRoute, { params }),
      view.ask(listStateOutputsRoute, { params }),
    ]);
    return {
      title: `Revision ${state.revision}`,
      main: html`${crumbs(["Workspaces", "/workspaces"], [workspaceId, `/workspaces/${workspaceId}`])}
        ${heading(`Revision ${state.revision}`, state.id, html``)}
        ${facts([
          ["Resources", String(resources.length)],
          ["Outputs", String(outputs.length)],
          ["Serial", String(state.serial ?? "–")],
          ["Terraform", state.terraform_version || "–"],
          ["Size", `${Math.ceil(state.size_bytes / 1024).toLocaleString("en")} KiB`],
          ["Written", timeAgo(state.created_at, view.nowMs)],
        ])}
        <h2>Resources</h2>
        ${resourceTable(resources)}
        <h2>Outputs</h2>
        ${
          outputs.length === 0
            ? html`<p class="dim">None.</p>`
            : html`<p>
                ${outputs.slice(0, shown).map(({ name, sensitive }) => html`<code>${name}</code>${sensitive ? " (sensitive)" : ""} `)}
              </p>`
        }`,
    };
  },
};

function resourceTable(resources: readonly StateResource[]): Html {
  if (resources.length === 0) return html`<p class="dim">None.</p>`;
  const isCut = resources.length > shown;
  return table(
    isCut ? `The first ${shown} of ${resources.length}` : "In the state's order",
    [
      { head: "Resource", cell: ({ address }) => html`<span class="id">${address}</span>` },
      { head: "Mode", kind: "minor", cell: ({ mode }) => mode },
      { head: "Instances", kind: "figure", cell: ({ instances }) => instances.length },
      {
        head: "Tainted",
        kind: "figure",
        cell: ({ instances }) => instances.filter(({ status }) => status === "tainted").length,
      },
      {
        head: "Deposed",
        kind: "figure",
        cell: ({ instances }) => instances.filter(({ deposed }) => deposed !== null).length,
      },
    ],
    resources.slice(0, shown),
  );
}

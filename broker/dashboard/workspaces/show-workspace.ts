import { html } from "hono/html";
import { listRescuedStatesRoute, type RescuedState } from "../../../shared/api/rescued-states.ts";
import { listStatesRoute } from "../../../shared/api/terraform-revisions.ts";
import { getWorkspaceRoute, type Workspace } from "../../../shared/api/terraform-workspaces.ts";
import {
  listWorkspaceEventsRoute,
  type WorkspaceEvent,
} from "../../../shared/api/workspace-events.ts";
import { recentAudit } from "../audit/audit-table.ts";
import type { Html, Page } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { choices, heading } from "../parts/choices.ts";
import { facts } from "../parts/facts.ts";
import { pager, table } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";
import { workspaceState } from "./list-workspaces.ts";
import { revisionTable } from "./revision-table.ts";

const shownEvents = 20;

/** GET /workspaces/{workspace_id}: who holds it, its revisions, and what happened to it. Never what a state says. */
export const showWorkspace: Page = {
  path: "/workspaces/{workspace_id}",
  permission: "state.read",
  async render(view) {
    const params = { workspace_id: view.param("workspace_id") };
    const cursor = view.query.get("cursor");
    const query = { limit: 20, ...(cursor !== null && { cursor }) };
    const [workspace, states, rescued, events] = await Promise.all([
      view.ask(getWorkspaceRoute, { params }),
      view.ask(listStatesRoute, { params, query }),
      view.ask(listRescuedStatesRoute, { params }),
      view.ask(listWorkspaceEventsRoute, { params }),
    ]);
    const at = `/workspaces/${workspace.id}`;
    const { lock, block } = workspace;
    const { nowMs } = view;
    const permission = "state.write";
    return {
      title: `Workspace ${workspace.owner_id || workspace.id}`,
      live: cursor === null ? ["jobs", "minute"] : [],
      main: html`${heading(workspace.owner_id || "Workspace", workspace.id, workspaceState(workspace))}
        ${choices(view, [
          { label: "Unlock by force", to: `${at}/force-unlock`, permission, isOpen: lock !== null },
          { label: "Block", to: `${at}/block`, permission, isOpen: block === null },
          { label: "Unblock", to: `${at}/unblock`, permission, isOpen: block !== null },
        ])}
        ${facts([
          [
            "Owner",
            html`${workspace.owner_type || "–"} <span class="id">${workspace.owner_id}</span>`,
          ],
          ["Revision", workspace.revision === 0 ? "none" : String(workspace.revision)],
          ["Serial", String(workspace.state?.serial ?? "–")],
          ["Terraform", workspace.state?.terraform_version || "–"],
          ["Written", timeAgo(workspace.state?.created_at, nowMs)],
          ["Created", timeAgo(workspace.created_at, nowMs)],
        ])}
        ${blockOf(workspace, nowMs)} ${lockOf(workspace, nowMs)} ${rescuedOf(rescued, nowMs)}
        <h2>Revisions</h2>
        ${
          states.items.length === 0
            ? html`<p class="dim">No state was written yet.</p>`
            : revisionTable(states.items, nowMs)
        }
        ${pager(view.address, states.next_cursor)}
        <h2>Events</h2>
        ${eventTable(events.slice(0, shownEvents), nowMs)} ${await recentAudit(view, workspace.id)}`,
    };
  },
};

function lockOf({ lock }: Workspace, nowMs: number): Html {
  if (lock === null) return html``;
  const { runner_job_id: job, runner_job_status: status } = lock;
  return html`<h2>Lock</h2>
    ${facts([
      ["Held by", lock.lock.who || "–"],
      ["For", lock.lock.operation || "–"],
      ["Since", timeAgo(lock.created_at, nowMs)],
      ["Terraform", lock.lock.version || "–"],
      ["Job", job === null ? "none" : jobLink(job)],
      ["The job is", status === null ? "–" : badge(status)],
    ])}`;
}

function blockOf({ block }: Workspace, nowMs: number): Html {
  if (block === null) return html``;
  const { reason, kind, runner_job_id: job, blocked_by_id: by, blocked_at: at } = block;
  return html`<h2>Block</h2>
    <p class="notes">Nobody gets a lock: ${reason}</p>
    ${facts([
      ["Kind", kind],
      ["By", html`<span class="id">${by}</span>`],
      ["Since", timeAgo(at, nowMs)],
      ["Job", job === null ? "none" : jobLink(job)],
    ])}`;
}

function rescuedOf(states: readonly RescuedState[], nowMs: number): Html {
  if (states.length === 0) return html``;
  return html`<h2>Rescued states</h2>
    ${table(
      "States that could not be written, and wait for a decision",
      [
        { head: "Id", cell: ({ id }) => html`<span class="id">${id}</span>` },
        { head: "Serial", kind: "figure", cell: ({ serial }) => serial ?? "–" },
        {
          head: "Size",
          kind: "figure",
          cell: ({ size_bytes: size }) => `${Math.ceil(size / 1024)} KiB`,
        },
        { head: "Job", cell: ({ runner_job_id: job }) => (job === null ? "–" : jobLink(job)) },
        { head: "When", cell: ({ created_at: at }) => timeAgo(at, nowMs) },
      ],
      states,
    )}
    <p>Push or discard one: <code>svc workspace --help</code></p>`;
}

function eventTable(events: readonly WorkspaceEvent[], nowMs: number): Html {
  if (events.length === 0) return html`<p class="dim">None yet.</p>`;
  return table(
    "Events, the newest first",
    [
      { head: "Event", cell: ({ kind }) => kind },
      { head: "When", cell: ({ at }) => timeAgo(at, nowMs) },
      {
        head: "By",
        kind: "minor",
        cell: ({ actor_id: id }) => html`<span class="id">${id}</span>`,
      },
      { head: "Reason", cell: ({ reason }) => reason || "–" },
    ],
    events,
  );
}

const jobLink = (id: string): Html => html`<a class="id" href="/jobs/${id}">${id}</a>`;

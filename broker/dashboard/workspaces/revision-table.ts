import { html } from "hono/html";
import type { WorkspaceState } from "../../../shared/api/terraform-workspaces.ts";
import type { Html } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { table } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";

/** The revisions of a state. */
export function revisionTable(states: readonly WorkspaceState[], nowMs: number): Html {
  return table(
    "Revisions, the newest first",
    [
      {
        head: "Revision",
        cell: ({ revision, terraform_workspace_id: id, is_current: isCurrent }) =>
          html`<a href="/workspaces/${id}/revisions/${revision}">${revision}</a>
            ${isCurrent ? badge("current", "good") : ""}`,
      },
      { head: "Serial", kind: "figure", cell: ({ serial }) => serial ?? "–" },
      {
        head: "Size",
        kind: "figure",
        cell: ({ size_bytes: size }) => `${Math.ceil(size / 1024)} KiB`,
      },
      {
        head: "Terraform",
        kind: "minor",
        cell: ({ terraform_version: version }) => version || "–",
      },
      {
        head: "Job",
        cell: ({ runner_job_id: job }) =>
          job === null ? "–" : html`<a class="id" href="/jobs/${job}">${job}</a>`,
      },
      {
        head: "Rolled back from",
        kind: "minor",
        cell: ({ rolled_back_from: from }) => from ?? "–",
      },
      { head: "Written", cell: ({ created_at: at }) => timeAgo(at, nowMs) },
    ],
    states,
  );
}

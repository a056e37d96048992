import { html } from "hono/html";
import type { RunnerJob } from "../../../shared/api/runner-job.ts";
import type { Html } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { idText } from "../parts/id-text.ts";
import { table } from "../parts/table.ts";
import { timeAgo, timeBetween } from "../parts/time.ts";

/** Jobs, one a row, each with its state in one line. */
export function jobTable(caption: string, jobs: readonly RunnerJob[], nowMs: number): Html {
  return table(
    caption,
    [
      { head: "Job", cell: ({ id }) => html`<a class="id" href="/jobs/${id}">${idText(id)}</a>` },
      { head: "Status", cell: ({ status }) => badge(status) },
      {
        head: "Type",
        cell: ({ type, operation }) =>
          operation === "exec" ? type : html`${type} <span class="dim">${operation}</span>`,
      },
      { head: "Group", kind: "spare", cell: ({ group }) => group },
      {
        head: "Runner",
        kind: "minor",
        cell: ({ runner_id: id }) => html`<a class="id" href="/runners/${id}">${id}</a>`,
      },
      {
        head: "Owner",
        kind: "spare",
        cell: ({ owner_id: id }) => html`<span class="id">${id}</span>`,
      },
      { head: "Created", cell: ({ created_at: at }) => timeAgo(at, nowMs) },
      {
        head: "Ran",
        kind: "minor figure",
        cell: ({ started_at: from, finished_at: to }) => timeBetween(from, to, nowMs),
      },
      { head: "Description", kind: "minor", cell: ({ status_description: text }) => text },
    ],
    jobs,
  );
}

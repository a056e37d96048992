import { html } from "hono/html";
import type { ShownWorkflow } from "../../../shared/api/workflow.ts";
import type { Html } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { table } from "../parts/table.ts";
import { durationText, timeAgo } from "../parts/time.ts";
import { ownerPath } from "./owner-path.ts";

/** Workflows, one a row. */
export function workflowTable(workflows: readonly ShownWorkflow[], nowMs: number): Html {
  return table(
    "Workflows, the newest first",
    [
      { head: "Workflow", cell: ({ id, name }) => html`<a href="/workflows/${id}">${name}</a>` },
      {
        head: "Status",
        cell: ({ status: { status }, cancelling }) =>
          cancelling ? badge("cancelling", "warn") : badge(status),
      },
      {
        head: "Of",
        cell: (workflow) =>
          html`<a href="${ownerPath(workflow)}">${workflow.owner_name || workflow.owner_id}</a>`,
      },
      {
        head: "Took",
        kind: "figure",
        cell: ({ started_at: at, execution_time: ns }) =>
          at === null ? "–" : durationText(ns / 1e9),
      },
      { head: "Made", cell: ({ created_at: at }) => timeAgo(at, nowMs) },
    ],
    workflows,
  );
}

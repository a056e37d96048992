import { html } from "hono/html";
import type { RunnerJobExecution } from "../../../shared/api/runner-job-execution.ts";
import type { RunnerJob } from "../../../shared/api/runner-job.ts";
import type { Html } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { idText } from "../parts/id-text.ts";
import { table } from "../parts/table.ts";
import { timeAgo, timeBetween } from "../parts/time.ts";

/** The executions of a job, each with how it ended and why. */
export function executionTable({ executions = [] }: RunnerJob, nowMs: number): Html {
  if (executions.length === 0)
    return html`<h2>Executions</h2>
      <p class="dim">None yet.</p>`;
  return html`<h2>Executions</h2>
    ${table(
      "Executions, the first one first",
      [
        { head: "Execution", cell: ({ id }) => html`<span class="id">${idText(id)}</span>` },
        { head: "Status", cell: ({ status }) => badge(status) },
        {
          head: "Process",
          kind: "minor",
          cell: ({ runner_process_id: id }) => html`<span class="id">${id ?? ""}</span>`,
        },
        { head: "Began", cell: ({ created_at: at }) => timeAgo(at, nowMs) },
        {
          head: "Ran",
          kind: "figure",
          cell: ({ created_at: from, finished_at: to }) => timeBetween(from, to, nowMs),
        },
        {
          head: "Ended by",
          kind: "minor",
          cell: ({ ended_by: by }) =>
            by === null ? "" : by === "client" ? "its process" : "the broker",
        },
        { head: "What it said", cell: saidBy },
      ],
      executions,
    )}`;
}

function saidBy({ status_description: said, result }: RunnerJobExecution): Html {
  const error = result?.composite_error;
  const code = result == null || result.success ? "" : `error code ${result.error_code}`;
  const words = [said, error?.title ?? error?.type ?? "", code].filter((word) => word !== "");
  return html`${[...new Set(words)].join(" · ")}`;
}

/** How far the last execution is, step by step. */
export function progressOf({ executions = [] }: RunnerJob): Html | string {
  const progress = executions.findLast((one) => one.progress != null)?.progress;
  if (progress == null || progress.steps.length === 0) return "";
  return html`<h2>Steps</h2>
    ${table(
      "Steps of the last execution",
      [
        { head: "Step", cell: ({ name }) => name },
        {
          head: "Status",
          cell: ({ status }) => badge(status, status === "error" ? "bad" : undefined),
        },
        { head: "What it said", cell: ({ detail }) => detail },
      ],
      progress.steps,
    )}
    ${progress.is_full ? html`<p class="dim">There were more than are kept.</p>` : ""}`;
}

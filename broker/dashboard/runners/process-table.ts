import { html } from "hono/html";
import type { ProcessShutdown } from "../../../shared/api/runner-process-shutdown.ts";
import type { RunnerProcess } from "../../../shared/api/runner-process.ts";
import type { Runner } from "../../../shared/api/runner.ts";
import { shutdownJobsText } from "../../../shared/shutdown-jobs-text.ts";
import type { Html, View } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { mayAll, permissionsOf } from "../parts/permissions-of.ts";
import { table } from "../parts/table.ts";
import { timeAgo, timeAt } from "../parts/time.ts";

/** Processes of a runner, each with its beats and its newest orders. */
export function processTable(
  view: View,
  caption: string,
  runner: Runner,
  processes: readonly RunnerProcess[],
): Html {
  const { nowMs } = view;
  const mayAct = mayAll(view, permissionsOf(runner, "runners.operate"));
  if (processes.length === 0) return html`<p class="dim">No process is alive.</p>`;
  return table(
    caption,
    [
      { head: "Process", cell: ({ id }) => html`<span class="id">${id}</span>` },
      { head: "Status", cell: statusOf },
      {
        head: "Type",
        kind: "minor",
        cell: ({ type, labels }) =>
          html`${type || "–"} <span class="dim">${labels.join(", ")}</span>`,
      },
      { head: "Version", cell: ({ version }) => version || "–" },
      { head: "Slots", kind: "minor", cell: ({ groups }) => slotsOf(groups) },
      { head: "Started", kind: "minor", cell: ({ started_at: at }) => timeAgo(at, nowMs) },
      { head: "Last beat", cell: ({ last_seen_at: at }) => timeAgo(at, nowMs) },
      {
        head: "Orders",
        cell: ({ shutdowns }) => html`${shutdowns.slice(0, 3).map((one) => order(one, nowMs))}`,
      },
      ...(mayAct ? [{ head: "Act", cell: (process: RunnerProcess) => act(process) }] : []),
    ],
    processes,
  );
}

/** Whether it can still be told to shut down. */
export function isAlive({ composite_status: { status } }: RunnerProcess): boolean {
  return status !== "inactive" && status !== "shut-down";
}

/** Whether an order has not ended yet. */
export function isOpenOrder({ status }: ProcessShutdown): boolean {
  return status === "requested" || status === "in-progress";
}

function statusOf({ composite_status: { status }, warnings }: RunnerProcess): Html {
  return html`${badge(status)}${warnings.map((warning) => html`<div class="dim">${warning}</div>`)}`;
}

function slotsOf(groups: RunnerProcess["groups"]): string {
  if (groups === null) return "as its settings say";
  return (
    Object.entries(groups)
      .map(([group, slots]) => `${group || "(none)"} ${slots}`)
      .join(", ") || "none"
  );
}

function order(shutdown: ProcessShutdown, nowMs: number): Html {
  const { type, status, reason, created_at: at, deadline_at: deadline } = shutdown;
  const by = shutdown.created_by_id;
  const asked = html`asked ${timeAgo(at, nowMs)}${by === "" ? "" : ` by ${by}`}`;
  const when = deadline === null ? asked : html`${asked}, until ${timeAt(deadline)}`;
  const jobs = shutdownJobsText(shutdown);
  return html`<div>
    ${type} ${badge(status)}
    <span class="dim">${when}${reason === "" ? "" : `: ${reason}`}; ${jobs}</span>
  </div>`;
}

function act(process: RunnerProcess): Html {
  if (!isAlive(process)) return html`–`;
  return html`<a href="/runners/${process.runner_id}/processes/${process.id}/shutdown"
    >Shut down…</a
  >`;
}

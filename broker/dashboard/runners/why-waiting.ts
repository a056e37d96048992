import { html } from "hono/html";
import { getWaitingRoute, listRunnerJobsRoute } from "../../../shared/api/read-runner-jobs.ts";
import type { RunnerJob } from "../../../shared/api/runner-job.ts";
import type { Runner } from "../../../shared/api/runner.ts";
import type { Html, View } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { counted } from "../parts/counted.ts";
import { table } from "../parts/table.ts";
import { sum } from "./runner-table.ts";

const shown = 3;

/** What waits the longest for a runner, and why; nothing when nothing waits. */
export async function whyWaiting(view: View, runner: Runner): Promise<Html> {
  const waiting = sum(runner.queues, "depth");
  if (waiting === 0 || !view.can("jobs.read")) return html``;
  const oldest = await oldestOf(view, runner.id);
  const reasons = await Promise.all(
    oldest.map(async (job) => await view.ask(getWaitingRoute, { params: { job_id: job.id } })),
  );
  const rows = oldest.map((job, at) => ({ job, reasons: reasons[at]?.reasons ?? [] }));
  return html`<h2>${counted(waiting, "job waits", "jobs wait")}</h2>
    ${
      rows.length === 0
        ? ""
        : table(
            waiting > rows.length ? `The ${rows.length} that wait the longest` : "Why they wait",
            [
              {
                head: "Job",
                cell: ({ job }) => html`<a class="id" href="/jobs/${job.id}">${job.id}</a>`,
              },
              { head: "Status", cell: ({ job }) => badge(job.status) },
              { head: "Type", kind: "minor", cell: ({ job }) => job.type },
              {
                head: "Waits because",
                cell: (row) => html`${row.reasons.map(({ detail }) => html`<div>${detail}</div>`)}`,
              },
            ],
            rows,
          )
    }`;
}

/** Queued ones, the oldest first; without a cursor the API reads them as runners do. */
async function oldestOf(view: View, runnerId: string): Promise<readonly RunnerJob[]> {
  const params = { runner_id: runnerId };
  const query = { status: ["queued" as const, "available" as const], limit: shown };
  const read = await view.ask(listRunnerJobsRoute, { params, query });
  return Array.isArray(read) ? read : read.items;
}

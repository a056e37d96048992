import { html } from "hono/html";
import { listLogsRoute } from "../../../shared/api/log-streams.ts";
import { getJobRoute } from "../../../shared/api/read-runner-jobs.ts";
import type { RunnerJob } from "../../../shared/api/runner-job.ts";
import { getRunnerRoute } from "../../../shared/api/runners.ts";
import type { Permission } from "../../../shared/permissions.ts";
import { isFinal } from "../../../shared/runner-job.ts";
import { spanBars } from "../charts/span-bars.ts";
import type { LiveTopic } from "../live/live-topics.ts";
import { logLines } from "../logs/log-lines.ts";
import type { Html, Page, View } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { jsonBlock } from "../parts/code-block.ts";
import { mayAll, permissionsOf } from "../parts/permissions-of.ts";
import { executionTable, progressOf } from "./execution-table.ts";
import { errorNotice, jobFacts, waitingNotice } from "./job-facts.ts";
import { stateSpans } from "./state-spans.ts";

/** GET /jobs/{job_id}: where it stands, why, and what it brought. */
export const showJob: Page = {
  path: "/jobs/{job_id}",
  permission: "jobs.read",
  isShared: true,
  async render(view) {
    const params = { job_id: view.param("job_id") };
    const job: RunnerJob = await view.ask(getJobRoute, { params });
    const spans = stateSpans(job, view.nowMs);
    const log: LiveTopic[] =
      job.log_stream_id === null || !view.can("logs.read") ? [] : [`log:${job.log_stream_id}`];
    return {
      title: `${job.type} ${job.status}`,
      live: isFinal(job.status) && job.logs_complete ? [] : ["jobs", ...log],
      main: html`<nav class="crumbs" aria-label="Place"><a href="/jobs">Jobs</a></nav>
        <h1>${job.type} <span class="dim">${job.operation}</span> ${badge(job.status)}</h1>
        <p>
          <code>${job.id}</code>
          ${job.status_description === "" ? "" : html`<span class="dim">${job.status_description}</span>`}
        </p>
        ${await buttons(view, job)} ${waitingNotice(job)} ${errorNotice(job.composite_error)}
        <section class="card">${spanBars({ label: "Where its time went", ...spans })}</section>
        ${jobFacts(job, view)} ${executionTable(job, view.nowMs)} ${progressOf(job)}
        ${outputsOf(job)} ${await logTail(view, job)}`,
    };
  },
};

async function buttons(view: View, job: RunnerJob): Promise<Html> {
  const mayAct = await actsOnRunner(view, job);
  const link = (isShown: boolean, to: string, text: string): Html | string =>
    isShown ? html`<a class="button" href="/jobs/${job.id}${to}">${text}</a>` : "";
  const isPlanning = job.operation.startsWith("create-");
  return html`<p class="buttons">
    ${link(view.can("logs.read") && job.log_stream_id !== null, "/log", "Log")}
    ${link(view.can("plans.read"), "/plan", "Plan")}
    ${link(isPlanning && view.can("plans.secrets") && job.status === "finished", "/changes", "Planned changes")}
    ${link(mayAct("jobs.write"), "/rerun", "Run again…")}
    ${link(mayAct("jobs.cancel") && !isFinal(job.status), "/cancel", "Cancel…")}
  </p>`;
}

/** What the reader may do with the job, whose runner may be an install's. */
async function actsOnRunner(
  view: View,
  { runner_id: runnerId }: RunnerJob,
): Promise<(permission: Permission) => boolean> {
  const isKnown = !view.can("installs.operate") && view.can("runners.read");
  const runner = isKnown
    ? await view.ask(getRunnerRoute, { params: { runner_id: runnerId } })
    : { install_id: null };
  return (permission) => mayAll(view, permissionsOf(runner, permission));
}

function outputsOf({ outputs_json: packed, outputs }: RunnerJob): Html | string {
  if (outputs === undefined || Object.keys(outputs).length === 0) return "";
  const text = packed ? Buffer.from(packed, "base64").toString() : JSON.stringify(outputs);
  return html`<h2>Outputs</h2>
    ${jsonBlock("Outputs", text, "svc job get shows all.")}`;
}

const tailLines = 30;

/** The last lines; the page fetches them again while there are more. */
async function logTail(view: View, job: RunnerJob): Promise<Html | string> {
  const { log_stream_id: streamId } = job;
  if (streamId === null || !view.can("logs.read")) return "";
  const { items } = await view.ask(listLogsRoute, {
    params: { log_stream_id: streamId },
    query: { direction: "backward", limit: tailLines },
  });
  const path = `/jobs/${job.id}/log`;
  return html`<h2>Log <a class="more" href="${path}">whole log, search, download</a></h2>
    ${
      items.length === 0
        ? html`<p class="dim">Nothing was written${isFinal(job.status) ? "" : " yet"}.</p>`
        : html`<div
            class="log tail"
            tabindex="0"
            role="log"
            aria-live="off"
            aria-label="The last lines of the log"
          >
            ${logLines(items, { path })}
          </div>`
    }`;
}

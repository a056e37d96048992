import { html } from "hono/html";
import type { RunnerJob } from "../../../shared/api/runner-job.ts";
import { formatDuration } from "../../../shared/duration.ts";
import type { Html, View } from "../page.ts";
import { codeBlock } from "../parts/code-block.ts";
import { facts } from "../parts/facts.ts";
import { timeAgo, timeBetween } from "../parts/time.ts";

/** What a job is, whose, where, and which clocks run. */
export function jobFacts(job: RunnerJob, { nowMs }: Pick<View, "nowMs">): Html {
  const words = Object.entries(job.metadata);
  return html`<h2>Facts</h2>
    ${facts([
      ["Runner", html`<a class="id" href="/runners/${job.runner_id}">${job.runner_id}</a>`],
      ["Owner", html`${job.owner_type} <span class="id">${job.owner_id}</span>`],
      ["Group", job.group],
      ["Created", timeAgo(job.created_at, nowMs)],
      ["Started", timeAgo(job.started_at, nowMs)],
      ["Ran", timeBetween(job.started_at, job.finished_at, nowMs)],
      ["Executions", `${job.execution_count} of ${job.max_executions}`],
      [
        "Process",
        job.runner_process_id === null
          ? "none yet"
          : html`<span class="id">${job.runner_process_id}</span>`,
      ],
      [
        "Timeouts",
        html`${clocks(job).map(([name, ns]) => html`${name} ${formatDuration(ns)}<br />`)}`,
      ],
      ...(job.rerun_of === null
        ? []
        : [
            [
              "Rerun of",
              html`<a class="id" href="/jobs/${job.rerun_of}">${job.rerun_of}</a>`,
            ] as const,
          ]),
      ...(words.length === 0
        ? []
        : [
            [
              "Metadata",
              html`${words.map(([name, value]) => html`<code>${name}</code> ${value}<br />`)}`,
            ] as const,
          ]),
    ])}`;
}

const clocks = (job: RunnerJob) =>
  [
    ["queue", job.queue_timeout],
    ["available", job.available_timeout],
    ["execution", job.execution_timeout],
    ["overall", job.overall_timeout],
  ] as const;

/** Why it waits, the weightiest cause first. */
export function waitingNotice({ waiting }: RunnerJob): Html | string {
  if (waiting == null) return "";
  const { reasons, position } = waiting;
  return html`<section class="notice wait" aria-label="Why it waits">
    <p>
      <strong>It waits${position === null ? "" : html`, number ${position} in its queue`}.</strong>
    </p>
    <ul>
      ${reasons.map(
        ({ detail, job_ids: jobs = [] }) =>
          html`<li>
            ${detail}${jobs.map((id) => html` <a class="id" href="/jobs/${id}">${id}</a>`)}
          </li>`,
      )}
    </ul>
  </section>`;
}

/** Members of every error which say again what is shown. */
const repeated = [
  "message",
  "severity",
  "sections",
  "hints",
  "data",
  "source_type",
  "source_id",
  "version",
];

/** What went wrong, as its handler or the broker names it. */
export function errorNotice(error: RunnerJob["composite_error"]): Html | string {
  if (error == null) return "";
  const { type, title, detail, retryable, truncated, ...more } = error;
  const rest = Object.fromEntries(
    Object.entries(more).filter(([name]) => !repeated.includes(name)),
  );
  return html`<section class="notice bad" aria-label="Error">
    <p>
      <strong>${title ?? type ?? "It failed"}</strong
      >${type === undefined ? "" : html` <code>${type}</code>`}
    </p>
    ${detail === undefined ? "" : html`<pre tabindex="0" role="region" aria-label="Details of the error">${detail}</pre>`}
    ${retryable === true ? html`<p>The same again may go well.</p>` : ""}
    ${truncated === true ? html`<p>The error was shortened.</p>` : ""}
    ${
      Object.keys(rest).length === 0
        ? ""
        : html`<details>
            <summary>More</summary>
            ${codeBlock("More of the error", JSON.stringify(rest, undefined, 2))}
          </details>`
    }
  </section>`;
}

import { html } from "hono/html";
import { listRecentHealthChecksRoute } from "../../../shared/api/health-check.ts";
import {
  getRunnerAvailabilityRoute,
  type RunnerAvailability,
} from "../../../shared/api/runner-availability.ts";
import { listProcessesRoute, type RunnerProcess } from "../../../shared/api/runner-process.ts";
import type { Runner } from "../../../shared/api/runner.ts";
import { getRunnerRoute } from "../../../shared/api/runners.ts";
import type { Permission } from "../../../shared/permissions.ts";
import { recentAudit } from "../audit/audit-table.ts";
import { groupTitle } from "../groups/group-title.ts";
import { jobTable } from "../jobs/job-table.ts";
import type { Html, Page } from "../page.ts";
import { type Choice, choices, heading } from "../parts/choices.ts";
import { counted } from "../parts/counted.ts";
import { facts } from "../parts/facts.ts";
import { pauseWords } from "../parts/pausing.ts";
import { permissionsOf } from "../parts/permissions-of.ts";
import { availabilityText, stateStrip } from "../parts/state-strip.ts";
import { durationText, timeAgo } from "../parts/time.ts";
import { healthTable } from "./health-table.ts";
import { processTable } from "./process-table.ts";
import { queueTable } from "./queue-table.ts";
import { nameOf, runnerState, sum } from "./runner-table.ts";
import { settingsFacts } from "./settings-facts.ts";
import { latestUpdate } from "./update-version.ts";
import { whyWaiting } from "./why-waiting.ts";

/** GET /runners/{runner_id}: what a runner does, what waits for it, and why. */
export const showRunner: Page = {
  path: "/runners/{runner_id}",
  permission: "runners.read",
  isShared: true,
  async render(view) {
    const params = { runner_id: view.param("runner_id") };
    const [runner, { items: live }, { items: ended }, availability, checks] = await Promise.all([
      view.ask(getRunnerRoute, { params }),
      view.ask(listProcessesRoute, { params, query: { alive: "true", limit: 100 } }),
      view.ask(listProcessesRoute, { params, query: { alive: "false", limit: 20 } }),
      view.ask(getRunnerAvailabilityRoute, { params }),
      view.ask(listRecentHealthChecksRoute, { params, query: { limit: 15 } }),
    ]);
    const { nowMs } = view;
    const served = servedText(availability);
    return {
      title: nameOf(runner),
      live: ["jobs", "minute"],
      main: html`${heading(nameOf(runner), runner.id, runnerState(runner))}
        <p>${runner.status_description}</p>
        ${runner.warnings.length === 0 ? "" : warnings(runner, nowMs)}
        ${choices(view, choicesOf(runner, live))}
        <figure class="card availability">
          ${stateStrip(availability, served)}
          <figcaption>${served}</figcaption>
        </figure>
        ${runnerFacts(runner, nowMs)} ${await whyWaiting(view, runner)}
        <h2>Processes</h2>
        ${processTable(view, "Live processes, the newest first", runner, live)}
        ${
          ended.length === 0
            ? ""
            : html`<details>
                <summary>${ended.length} that ended</summary>
                ${processTable(view, "Processes that ended", runner, ended)}
              </details>`
        }
        <h2>Queues of its job groups</h2>
        ${queueTable(runner.queues)}
        <h2>Newest jobs</h2>
        ${newestJobs(runner, nowMs)}
        <div class="columns">
          <section>
            <h2>Settings in effect</h2>
            ${runner.runner_group?.settings === undefined ? "" : settingsFacts(runner.runner_group.settings)}
          </section>
          <section>
            <h2>Health checks of the last hour</h2>
            ${healthTable(checks, nowMs)}
          </section>
        </div>
        ${await recentAudit(view, runner.id)}`,
    };
  },
};

/** Of how much time it is told, too: what is shut down or not known does not count. */
function servedText({ availability, time_in: time }: RunnerAvailability): string {
  const knownMs = (time.active + time.degraded + time.offline) / 1e6;
  const share = availabilityText(availability, knownMs);
  if (share === "–") return "Less than an hour is known of the last 24 hours";
  return `Served ${share} of ${durationText(knownMs / 1000)} that are known of the last 24 hours`;
}

function choicesOf(runner: Runner, live: readonly RunnerProcess[]): Choice[] {
  const at = `/runners/${runner.id}`;
  const ofRunner = (permission: Permission) => ({
    permission: permissionsOf(runner, permission),
  });
  const operate = ofRunner("runners.operate");
  const isEnabled = runner.lifecycle === "enabled";
  return [
    { label: runner.pause === null ? "Pause" : "Change the pause", to: `${at}/pause`, ...operate },
    { label: "Resume", to: `${at}/resume`, isOpen: runner.pause !== null, ...operate },
    { label: "Drain", to: `${at}/drain`, ...operate },
    { label: "Restart", to: `${at}/restart`, ...operate },
    { label: "Update", to: `${at}/update-version`, ...operate },
    {
      label: "Start the agent",
      to: `${at}/start-agent`,
      isOpen: live.some(({ type }) => type === "mng"),
      ...operate,
    },
    { label: "Force shutdown", to: `${at}/force-shutdown`, ...operate },
    {
      label: "End waiting jobs",
      to: `${at}/flush`,
      ...ofRunner("jobs.cancel"),
      isOpen: sum(runner.queues, "depth") > 0,
    },
    { label: "Disable", to: `${at}/disable`, ...ofRunner("runners.write"), isOpen: isEnabled },
    { label: "Enable", to: `${at}/enable`, ...ofRunner("runners.write"), isOpen: !isEnabled },
  ];
}

/** A pause is told in words of its own. */
function warnings({ warnings: all, pause }: Runner, nowMs: number): Html {
  const others = all.filter((warning) => pause === null || !warning.startsWith("paused "));
  return html`<ul class="notes">
    ${pause === null ? "" : html`<li>${pauseWords(pause, nowMs)}</li>`}
    ${others.map((warning) => html`<li>${warning}</li>`)}
  </ul>`;
}

function runnerFacts(runner: Runner, nowMs: number): Html {
  const { runner_group: group, process_summary: processes, queues } = runner;
  return facts([
    [
      "Group",
      html`<a href="/groups/${runner.runner_group_id}"
        >${groupTitle({ id: runner.runner_group_id, name: group?.name ?? "" })}</a
      >`,
    ],
    ["Lifecycle", runner.lifecycle],
    ["Live processes", String(processes.live)],
    ["Version", runner.versions.summary],
    ["Update", latestUpdate(runner, nowMs)],
    ["Last beat", timeAgo(processes.last_seen_at, nowMs)],
    ["Running", `${sum(queues, "in_flight")} of ${counted(sum(queues, "slots"), "slot")}`],
    ["Waiting", String(sum(queues, "depth"))],
    ["Created", timeAgo(runner.created_at, nowMs)],
  ]);
}

function newestJobs({ jobs = [] }: Runner, nowMs: number): Html {
  if (jobs.length === 0) return html`<p class="dim">None yet.</p>`;
  return jobTable("The newest ten", jobs, nowMs);
}

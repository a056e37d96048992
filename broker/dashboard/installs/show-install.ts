import { html } from "hono/html";
import { actionRuns, listInstallActionsRoute } from "../../../shared/api/actions.ts";
import { getInstallInputsRoute } from "../../../shared/api/install-inputs.ts";
import { type Install, installs } from "../../../shared/api/install.ts";
import { listWorkflowsOfInstallRoute } from "../../../shared/api/workflows.ts";
import { recentAudit } from "../audit/audit-table.ts";
import { deployedIn } from "../deploys/deployed-in.ts";
import type { Html, Page, View } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { choices, heading } from "../parts/choices.ts";
import { facts } from "../parts/facts.ts";
import { listed } from "../parts/listed.ts";
import { table } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";
import { workflowTable } from "../workflows/workflow-table.ts";

const newest = { limit: "10", cursor: "" };

/** GET /installs/{install_id}: an install, what is done to it, and what it can run. */
export const showInstall: Page = {
  path: "/installs/{install_id}",
  permission: "installs.read",
  async render(view) {
    const params = { install_id: view.param("install_id") };
    const [install, inputs, actions, runs] = await Promise.all([
      view.ask(installs.get, { params }),
      view.ask(getInstallInputsRoute, { params }),
      view.ask(listInstallActionsRoute, { params }),
      view.ask(actionRuns.list, { params, query: newest }),
    ]);
    const at = `/installs/${install.id}`;
    return {
      title: install.name,
      live: ["jobs"],
      main: html`${heading(install.name, install.id, badge(install.lifecycle_phase.phase))}
        ${choices(view, [
          {
            label: "Run an action",
            to: `${at}/run`,
            permission: "installs.operate",
            isOpen: actions.length > 0,
          },
          { label: "Reprovision", to: `${at}/reprovision`, permission: "installs.operate" },
          {
            label: "Create a token",
            to: `/tokens/new?bound=installs/${install.id}`,
            permission: "tokens.write",
          },
          { label: "Deprovision", to: `${at}/deprovision`, permission: "installs.destroy" },
        ])}
        ${installFacts(install, view)}
        <h2>Inputs <span class="dim">version ${inputs.version}</span></h2>
        ${valueList(inputs.values)} ${await deployedIn(view, install)}
        <h2>Workflows</h2>
        ${await workflowsOf(view, install.id)}
        <h2>Actions</h2>
        ${actionTable(view, install.id, actions)}
        <h2>Runs</h2>
        ${runTable(listed(runs).items, view.nowMs)} ${await recentAudit(view, install.id)}`,
    };
  },
};

function installFacts(install: Install, { nowMs }: View): Html {
  const { applied_config_id: applied, expected_config_id: expected } = install.app_config_ref;
  const config = (id: string | null): Html | string =>
    id === null
      ? "none"
      : html`<a class="id" href="/apps/${install.app_id}/configs/${id}">${id}</a>`;
  return facts([
    ["App", html`<a href="/apps/${install.app_id}">${install.app_name}</a>`],
    ["Number", String(install.install_number)],
    [
      "Runner",
      html`<a class="id" href="/runners/${install.runner_id}">${install.runner_id}</a>
        ${badge(install.runner_status)}`,
    ],
    ["Config", config(applied)],
    ...(applied === expected ? [] : [["The app's active config", config(expected)] as const]),
    ["Approvals", install.install_config.approval_option],
    ...(install.health_checks.length === 0
      ? []
      : [["Health", health(install.health_checks, nowMs)] as const]),
    ["Labels", pairs(install.labels)],
    ["Phase since", timeAgo(install.lifecycle_phase.since, nowMs)],
    ["Created", timeAgo(install.created_at, nowMs)],
  ]);
}

const health = (checks: Install["health_checks"], nowMs: number): Html =>
  html`${checks.map(
    ({ action, status, at, detail }) =>
      html`${badge(status)} ${action}, ${timeAgo(at, nowMs)} <span class="dim">${detail}</span
        ><br />`,
  )}`;

const pairs = (map: Readonly<Record<string, string>>): Html | string =>
  Object.keys(map).length === 0
    ? "–"
    : html`${Object.entries(map).map(([key, value]) => html`<code>${key}=${value}</code> `)}`;

function valueList(values: Readonly<Record<string, unknown>>): Html {
  const entries = Object.entries(values);
  if (entries.length === 0) return html`<p class="dim">All have their defaults.</p>`;
  return facts(
    entries.map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
}

async function workflowsOf(view: View, installId: string): Promise<Html> {
  if (!view.can("workflows.read")) return html`<p class="dim">Your role may not see them.</p>`;
  const params = { install_id: installId };
  const { items } = listed(await view.ask(listWorkflowsOfInstallRoute, { params, query: newest }));
  if (items.length === 0) return html`<p class="dim">None yet.</p>`;
  return html`${workflowTable(items, view.nowMs)}
    <p><a href="/workflows?owner_id=${installId}">All of this install</a></p>`;
}

type Actions = readonly {
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>> | null;
}[];

function actionTable(view: View, installId: string, actions: Actions): Html {
  if (actions.length === 0) return html`<p class="dim">The app's config has none.</p>`;
  return table(
    "What it can run",
    [
      { head: "Action", cell: ({ name }) => name },
      {
        head: "Approval",
        cell: ({ config }) => (config?.["approval"] === true ? "somebody must approve" : "–"),
      },
      {
        head: "Run",
        cell: ({ name }) =>
          view.can("installs.operate")
            ? html`<a href="/installs/${installId}/run?action=${name}">Run ${name}…</a>`
            : "–",
      },
    ],
    actions,
  );
}

type Runs = readonly {
  readonly id: string;
  readonly name: string;
  readonly trigger_type: string;
  readonly status: string;
  readonly workflow_id: string;
  readonly runner_job_id: string | null;
  readonly created_at: string;
}[];

function runTable(runs: Runs, nowMs: number): Html {
  if (runs.length === 0) return html`<p class="dim">None yet.</p>`;
  return table(
    "Runs of actions, the newest first",
    [
      { head: "Action", cell: ({ name }) => name },
      { head: "Status", cell: ({ status }) => badge(status) },
      { head: "Trigger", kind: "minor", cell: ({ trigger_type: trigger }) => trigger },
      {
        head: "Workflow",
        cell: ({ workflow_id: id }) => html`<a class="id" href="/workflows/${id}">${id}</a>`,
      },
      {
        head: "Job",
        kind: "minor",
        cell: ({ runner_job_id: id }) =>
          id === null ? "–" : html`<a class="id" href="/jobs/${id}">${id}</a>`,
      },
      { head: "Made", cell: ({ created_at: at }) => timeAgo(at, nowMs) },
    ],
    runs,
  );
}

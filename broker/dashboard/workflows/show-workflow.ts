import { html } from "hono/html";
import { getApprovalContentsRoute } from "../../../shared/api/control-workflows.ts";
import type { ShownStep, WholeWorkflow } from "../../../shared/api/workflow.ts";
import { getWorkflowRoute } from "../../../shared/api/workflows.ts";
import { operatingPermissions } from "../../../shared/queue-acts.ts";
import { spanBars } from "../charts/span-bars.ts";
import type { Html, Page, View } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { choices, crumbs, heading } from "../parts/choices.ts";
import { facts } from "../parts/facts.ts";
import { table } from "../parts/table.ts";
import { durationText, timeAgo } from "../parts/time.ts";
import { approvalPlan } from "./approval-plan.ts";
import { ownerPath } from "./owner-path.ts";

/** GET /workflows/{workflow_id}: its steps over time, what it waits for, and the plan that somebody is to approve. */
export const showWorkflow: Page = {
  path: "/workflows/{workflow_id}",
  permission: "workflows.read",
  async render(view) {
    const params = { workflow_id: view.param("workflow_id") };
    const workflow: WholeWorkflow = await view.ask(getWorkflowRoute, { params });
    const { status, status_human_description: why } = workflow.status;
    const at = `/workflows/${workflow.id}`;
    return {
      title: `${workflow.name}: ${status}`,
      live: workflow.finished ? [] : ["jobs"],
      main: html`${crumbs(
          workflow.owner_type === "apps" ? ["Apps", "/apps"] : ["Installs", "/installs"],
          [workflow.owner_name || workflow.owner_id, ownerPath(workflow)],
        )}
        ${heading(workflow.name, workflow.id, badge(workflow.cancelling ? "cancelling" : status))}
        ${why === "" ? "" : html`<p>${why}</p>`}
        ${choices(view, [
          {
            label: "Approve all…",
            to: `${at}/approve-all`,
            permission: "approvals.respond",
            isOpen: !workflow.finished && workflow.approval_option === "prompt",
          },
          {
            label: "Resume…",
            to: `${at}/resume`,
            permission: operatingPermissions[workflow.owner_type],
            isOpen: status === "error",
          },
          {
            label: "Cancel…",
            to: `${at}/cancel`,
            permission: operatingPermissions[workflow.owner_type],
            isOpen: !workflow.finished && !workflow.cancelling,
          },
        ])}
        ${await waitingFor(view, workflow)} ${timeline(workflow, view.nowMs)}
        <h2>Steps</h2>
        ${stepTable(workflow)} ${workflowFacts(workflow, view)}`,
    };
  },
};

/** What somebody is to do: approve the plan that is shown, or retry or skip a step that failed. */
async function waitingFor(view: View, workflow: WholeWorkflow): Promise<Html> {
  const waiting = workflow.steps.filter(
    ({ status: { status } }) => status === "approval-awaiting" || status === "failed-pending-retry",
  );
  const notices = await Promise.all(
    waiting.map((step) =>
      step.status.status === "approval-awaiting"
        ? approvalNotice(view, workflow, step)
        : Promise.resolve(failureNotice(view, workflow, step)),
    ),
  );
  return html`${notices}`;
}

async function approvalNotice(view: View, workflow: WholeWorkflow, step: ShownStep): Promise<Html> {
  const { approval } = step;
  if (approval === undefined) return html``;
  const at = `/workflows/${workflow.id}/steps/${step.id}`;
  const params = { workflow_id: workflow.id, step_id: step.id, approval_id: approval.id };
  const plan = await view.ask(getApprovalContentsRoute, { params });
  const permission = "approvals.respond";
  return html`<section class="card" aria-label="${step.name}">
    <h2>${step.name}: approve what is about to be done?</h2>
    <p class="dim">
      It expires ${timeAgo(approval.expires_at, view.nowMs)}. Digest
      <code>${approval.plan_digest.slice(0, 16)}</code>
    </p>
    ${choices(view, [
      { label: "Approve…", to: `${at}/approve`, permission },
      { label: "Deny…", to: `${at}/deny`, permission },
    ])}
    ${approvalPlan(`The plan of ${step.name}`, plan)}
  </section>`;
}

function failureNotice(view: View, workflow: WholeWorkflow, step: ShownStep): Html {
  const at = `/workflows/${workflow.id}/steps/${step.id}`;
  const permission = operatingPermissions[workflow.owner_type];
  return html`<section class="card" aria-label="${step.name}">
    <h2>${step.name} failed</h2>
    <p>${step.composite_error?.detail ?? step.status.status_human_description}</p>
    ${choices(view, [
      { label: "Retry…", to: `${at}/retry`, permission },
      { label: "Skip…", to: `${at}/skip`, permission, isOpen: step.skippable },
    ])}
  </section>`;
}

function timeline({ steps, created_at, finished_at }: WholeWorkflow, nowMs: number): Html {
  const begun = steps.filter(({ started_at: at }) => at !== null);
  if (begun.length === 0) return html``;
  const fromMs = Date.parse(created_at);
  const toMs = Math.max(fromMs + 1, finished_at === null ? nowMs : Date.parse(finished_at));
  const rows = begun.map((step) => ({
    name: step.name,
    spans: [
      {
        status: step.status.status,
        tone: toneOf(step.status.status),
        fromMs: Date.parse(step.started_at ?? created_at),
        toMs: step.finished_at === null ? toMs : Date.parse(step.finished_at),
      },
    ],
  }));
  return html`<section class="card">
    ${spanBars({ label: "Where its time went", fromMs, toMs, rows })}
  </section>`;
}

/** The colors are those of jobs. */
function toneOf(status: string): string {
  if (status === "success" || status === "approved") return "finished";
  if (status === "in-progress") return "in-progress";
  if (status === "approval-awaiting") return "queued";
  const isBad = ["error", "failed-pending-retry", "approval-denied", "approval-expired"];
  return isBad.includes(status) ? "failed" : "cancelled";
}

function stepTable({ steps }: WholeWorkflow): Html {
  return table(
    "Steps, in their order",
    [
      {
        head: "Step",
        cell: (step) => {
          const { retry_index: n } = step;
          return n === 0
            ? nameOf(step)
            : html`${nameOf(step)} <span class="dim">try ${n + 1}</span>`;
        },
      },
      { head: "Status", cell: ({ status: { status } }) => badge(status) },
      {
        head: "Took",
        kind: "figure",
        cell: ({ started_at: at, execution_time: ns }) =>
          at === null ? "–" : durationText(ns / 1e9),
      },
      {
        head: "Why",
        cell: ({ status: { status_human_description: why } }) => why || "–",
      },
      { head: "Job", kind: "minor", cell: jobCell },
    ],
    steps,
  );
}

/** What it deploys has a page of its own. */
function nameOf(step: ShownStep): Html | string {
  const page = pagesOfTargets[step.step_target_type];
  if (page === undefined || step.step_target_id === "") return step.name;
  return html`<a href="/installs/${step.owner_id}/${page}/${step.step_target_id}">${step.name}</a>`;
}
const pagesOfTargets: Readonly<Record<string, string>> = {
  install_deploys: "deploys",
  install_sandbox_runs: "sandbox-runs",
};

function jobCell({ runner_job_id: id, child_workflows, workflow_id }: ShownStep): Html | string {
  const { length } = child_workflows;
  if (length > 0)
    return html`<a href="/workflows?parent_id=${workflow_id}"
      >${length} workflow${length === 1 ? "" : "s"}</a
    >`;
  return id === null ? "–" : html`<a class="id" href="/jobs/${id}">${id}</a>`;
}

function workflowFacts(workflow: WholeWorkflow, { nowMs }: View): Html {
  const { parent } = workflow;
  const begunBy =
    parent && html`<a class="id" href="/workflows/${parent.workflow_id}">${parent.workflow_id}</a>`;
  return facts([
    ...(begunBy === undefined ? [] : [["Begun by workflow", begunBy] as const]),
    ["Type", html`<code>${workflow.type}</code>`],
    ["Approvals", workflow.approval_option],
    ["Created", timeAgo(workflow.created_at, nowMs)],
    ["By", html`<span class="id">${workflow.created_by_id || "–"}</span>`],
    [
      "Runs",
      workflow.workflow_runs.map(({ type, status }) => `${type}: ${status.status}`).join(", "),
    ],
  ]);
}

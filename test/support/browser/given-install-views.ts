import { expect } from "vitest";
import type { Install } from "../../../shared/api/install.ts";
import type { ShownStep, WholeWorkflow } from "../../../shared/api/workflow.ts";
import { until } from "../broker/given-polling.ts";
import type { GivenDashboard } from "./given-dashboard.ts";
import { givenDeployViews } from "./given-deploy-views.ts";
import { hostile, type View } from "./view.ts";

type Made = { readonly id: string };

/** An install with a workflow that waits for an approval and one that failed, and where pages show them. */
export async function givenInstallViews(dashboard: GivenDashboard): Promise<View[]> {
  const { call } = dashboard;
  const install = await createInstall(dashboard);
  const at = `/installs/${install.id}`;
  const run = async (body: object, path = "runs") =>
    (await call<{ workflow_id: string }>(`POST /v1${at}/actions/${path}`, { body })).body
      .workflow_id;
  const waiting = await run({ name: "careful" });
  const failed = await run({ command: "echo {{ .svc.labels.nothing }}" }, "adhoc-run");
  const approve = await stepOf(dashboard, waiting, "approval-awaiting");
  const retry = await stepOf(dashboard, failed, "failed-pending-retry");
  const ended = await run({ name: "careful" });
  await call(`POST /v1/workflows/${ended}/cancel`);
  const path = "/workflows/{workflow_id}";
  const [asks, fails] = [`/workflows/${waiting}`, `/workflows/${failed}`];
  return [
    { path: "/installs", address: "/installs", has: "provisioning", whenEmpty: "No installs yet" },
    { path: "/installs", address: "/installs?q=nothing", has: "No install fits these filters" },
    { path: "/installs/{install_id}", address: at, has: "What it can run" },
    { path: "/installs/{install_id}", address: `${at}/run?action=careful`, has: "Run an action" },
    { path: "/installs/{install_id}", address: `${at}/run`, has: "Choose one" },
    { path: "/installs/{install_id}", address: `${at}/reprovision`, has: "active config" },
    { path: "/installs/{install_id}", address: `${at}/deprovision`, has: "to confirm" },
    ...(await givenDeployViews(dashboard, install)),
    {
      path: "/workflows",
      address: "/workflows",
      has: "Run careful",
      whenEmpty: "No workflows yet",
    },
    { path: "/workflows", address: "/workflows?type=x", has: "No workflow fits these filters" },
    { path, address: asks, has: "approve what is about to be done?" },
    { path, address: fails, has: "Retry…" },
    { path, address: `/workflows/${ended}`, has: "cancelled" },
    { path, address: `${asks}/steps/${approve.id}/approve`, has: "byte for byte" },
    { path, address: `${asks}/steps/${approve.id}/deny`, has: "Nothing of this plan is done" },
    { path, address: `${asks}/approve-all`, has: "unseen" },
    { path, address: `${asks}/cancel`, has: "Nothing more begins" },
    { path, address: `${fails}/steps/${retry.id}/retry`, has: "tried again" },
    { path, address: `${fails}/steps/${retry.id}/skip`, has: "passed over" },
    { path, address: `/workflows/${ended}/resume`, has: "first step that did not succeed" },
  ];
}

async function createInstall({ call }: GivenDashboard): Promise<Install> {
  const app = await call<Made>("POST /v1/apps", { body: { name: "installed" } });
  const steps = [{ name: "one", command: `echo ${JSON.stringify(hostile)}` }];
  const synced = await call(`POST /v1/apps/${app.body.id}/configs/sync`, {
    body: {
      "metadata.toml": { name: "installed" },
      actions: { "careful.toml": { name: "careful", approval: true, steps } },
    },
  });
  expect(synced.status).toBe(201);
  const made = await call<Install>(`POST /v1/apps/${app.body.id}/installs`, {
    body: { name: "acme <b>", metadata: { note: hostile.slice(0, 60) }, labels: { tier: "<i>" } },
  });
  expect(made.status).toBe(201);
  return made.body;
}

async function stepOf({ call }: GivenDashboard, id: string, status: string): Promise<ShownStep> {
  const find = async () => {
    const { body } = await call<WholeWorkflow>(`GET /v1/workflows/${id}`);
    return body.steps.find((step) => step.status.status === status);
  };
  await until(async () => (await find()) !== undefined);
  const step = await find();
  if (step === undefined) throw new Error(`no step of ${id} is ${status}`);
  return step;
}

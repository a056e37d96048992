import { describe, expect, test } from "vitest";
import type { Emitter } from "../../../shared/api/emitter.ts";
import type { QueueSignal } from "../../../shared/api/signal.ts";
import type { RunnerJobType } from "../../../shared/runner-job-types.ts";
import { until } from "../../support/broker/given-polling.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import {
  givenExecution,
  givenJob,
  givenProcess,
  type GivenRunner,
  givenRunner,
} from "../../support/rows/given.ts";
import { givenBoundTokens } from "../../support/tokens/given-bound-tokens.ts";
import { backendPath } from "../../support/workspaces/given-workspace.ts";

const { call, db, org, own, sibling } = await givenBoundTokens();
const { api } = org;
const foreign = { status: 403, body: { code: "foreign_state" } };

const made = async (what: string, body: unknown): Promise<string> => {
  const answer = await api<{ id: string }>(what, body);
  if (answer.status >= 300) throw new Error(`${what}: ${JSON.stringify(answer.body)}`);
  return answer.body.id;
};
const owner = { owner_type: "installs", owner_id: own.installId };
const workspace = await made("POST /v1/terraform-workspaces", owner);
const chart = await made("POST /v1/helm-charts", { ...owner, owner_type: "install" });
const [run = { id: "" }] = await db<{ id: string }[]>`
  select id from install_action_runs where install_id = ${own.installId} order by id limit 1`;
const orgs = await givenRunner(db, { orgId: org.orgId });

/** A job whose plan names it, for each way to name something of an install. */
const naming = {
  "a workspace of terraform": { terraform: { terraform_backend: { WorkspaceID: workspace } } },
  "a workspace of pulumi": { pulumi: { pulumi_backend: { workspace_id: workspace } } },
  "a workspace of a simulation": { sandbox_mode: { terraform: { workspace_id: workspace } } },
  "a chart": { helm: { helm_chart_id: chart } },
  "the run of an action": { id: run.id, install_id: own.installId },
};
const jobOf = (plan: object) => ({ type: "noop-deploy" as const, plan });
const ofWorkspace = jobOf(naming["a workspace of terraform"]);
const others: readonly GivenRunner[] = [orgs, sibling.runner];

describe.each(Object.entries(naming))("a plan that names %s of an install", (_, plan) => {
  test("is for that install's own runner, whoever enqueues it", async () => {
    const job = jobOf(plan);
    for (const { runnerId } of others) {
      const to = `POST /v1/runners/${runnerId}/jobs`;
      expect(await api(to, job)).toMatchObject(foreign);
      const batch = { jobs: [{ type: "noop-deploy" }, job] };
      expect(await api(`${to}/batch`, batch)).toMatchObject(foreign);
      const old = await givenJob(db, { ...orgs, runnerId }, { plan: JSON.stringify(plan) });
      expect(await api(`POST /v1/runner-jobs/${old}/rerun`, {})).toMatchObject(foreign);
    }
    const [counted] = await db<{ jobs: number }[]>`
      select count(*)::int as jobs from runner_jobs j where j.runner_id = ${orgs.runnerId} and j.created_by_id <> ''`;
    expect(counted?.jobs).toBe(0);
    expect((await api(`POST /v1/runners/${own.runner.runnerId}/jobs`, job)).status).toBe(201);
  });
});

describe("a plan that names a workspace of an install", () => {
  test("is told of many that are run again as a refusal of its job alone", async () => {
    const runner = await givenRunner(db, { orgId: org.orgId });
    const named = await givenJob(db, runner, { plan: JSON.stringify(ofWorkspace.plan) });
    await givenJob(db, runner);
    const asked = { runner_id: runner.runnerId, limit: 10 };
    expect((await api("POST /v1/runner-jobs/cancel", asked)).status).toBe(200);
    expect((await api("POST /v1/runner-jobs/rerun", asked)).body).toMatchObject({
      enqueued: 1,
      refused: [{ runner_job_id: named, code: "foreign_state" }],
    });
  });

  test("is refused in a signal, its callbacks and an emitter", async () => {
    const queue = await made("POST /v1/queues", { name: "signals" });
    const job = { runner_id: orgs.runnerId, ...ofWorkspace };
    const file = `POST /v1/queues/${queue}/signals`;
    const signal = { type: "runner-job", signal: job };
    const next = { signal: { queue_id: queue, ...signal } };
    for (const one of [
      signal,
      { type: "noop", callback: { runner_job: job } },
      { type: "noop", callbacks: [next] },
    ]) {
      expect(await api(file, one)).toMatchObject(foreign);
      expect(await api(`${file}/batch`, { signals: [one] })).toMatchObject(foreign);
    }
    const schedule = { name: "e", mode: "cron", cron_schedule: "0 3 1 1 *" };
    const emitters = `POST /v1/queues/${queue}/emitters`;
    const emitter = { ...schedule, signal_type: "runner-job", signal_template: job };
    expect(await api(emitters, emitter)).toMatchObject(foreign);
    const idle = { ...schedule, signal_type: "noop", signal_template: {} };
    const id = await made(emitters, idle);
    const { signal_type, signal_template } = emitter;
    expect(await api(`PATCH /v1/emitters/${id}`, { signal_type, signal_template })).toMatchObject(
      foreign,
    );
  });
});

/** What was filed while the runner was the install's: it is no longer, when the signals are executed. */
test("signals, callbacks and emitters are looked at again when they fire", async () => {
  const taken = await givenRunner(db, { orgId: org.orgId });
  const install = { name: "leaves", inputs: { audience: "me" }, start: false };
  const installId = await made(`POST /v1/apps/${org.appId}/installs`, {
    ...install,
    runner_group_id: taken.groupId,
  });
  const owned = { owner_type: "installs", owner_id: installId };
  const plan = {
    terraform_backend: { WorkspaceID: await made("POST /v1/terraform-workspaces", owned) },
  };
  const job = { runner_id: taken.runnerId, ...jobOf(plan) };
  const queue = await made("POST /v1/queues", { name: "later", max_in_flight: 5 });
  await api(`POST /v1/queues/${queue}/pause`, {});
  const file = `POST /v1/queues/${queue}/signals`;
  const signal = await made(file, { type: "runner-job", signal: job });
  const calling = await made(file, { type: "noop", callback: { runner_job: job } });
  const schedule = { name: "e", mode: "cron", cron_schedule: "0 3 1 1 *" };
  const emitter = { ...schedule, signal_type: "runner-job", signal_template: job };
  const emitterId = await made(`POST /v1/queues/${queue}/emitters`, emitter);
  const fire = `POST /v1/emitters/${emitterId}/fire`;
  const fired = await made(fire, {});
  expect((await api(`POST /v1/installs/${installId}/forget`, { confirm: "leaves" })).status).toBe(
    200,
  );
  expect(await api(fire, {})).toMatchObject(foreign);
  await api(`POST /v1/queues/${queue}/resume`, {});
  const read = async (id: string) => (await api<QueueSignal>(`GET /v1/signals/${id}`)).body;
  for (const id of [signal, fired]) {
    await until(async () => (await read(id)).status.status === "dead");
    expect((await read(id)).status.status_human_description).toContain("foreign_state");
  }
  await until(async () => (await read(calling)).callbacks[0]?.status === "failed");
  expect((await read(calling)).callbacks[0]?.status_description).toContain("foreign_state");
  const [counted] = await db<{ jobs: number }[]>`
    select count(*)::int as jobs from runner_jobs where runner_id = ${taken.runnerId}`;
  expect(counted?.jobs).toBe(0);
  expect((await api<Emitter>(`GET /v1/emitters/${emitterId}`)).body.emit_count).toBe(1);
});

/** A job that nobody looked at when it was enqueued, as brokers before this one did not. */
async function runningJob(runner: GivenRunner, plan: object, type: RunnerJobType) {
  const kept = await givenProcess(db, runner, { serves: { actions: 1, deploy: 1 } });
  const job = { type, plan: JSON.stringify(plan) };
  const { jobId } = await givenExecution(db, runner, { processId: kept, job });
  return { jobId, token: await givenToken(db, runner) };
}

const both = { ...naming["a workspace of terraform"], ...naming["a chart"] };
const same = await runningJob(own.runner, both, "terraform-deploy");

describe("a job of another runner whose plan names it all the same", () => {
  test("reaches no state, lock and rescued state of an install's workspace", async () => {
    const runner = await givenRunner(db, { orgId: org.orgId });
    const plan = naming["a workspace of terraform"];
    const { jobId, token } = await runningJob(runner, plan, "terraform-deploy");
    const at = `/v1/terraform-workspaces/${workspace}`;
    for (const what of [
      `GET ${backendPath(workspace)}`,
      `DELETE ${backendPath(workspace)}`,
      `GET ${backendPath(workspace)}&job_id=${jobId}`,
    ])
      expect(await call(what, { token })).toMatchObject(foreign);
    const lock = { ID: crypto.randomUUID(), Operation: "OperationTypeApply" };
    expect(await call(`POST ${at}/lock`, { token, body: lock })).toMatchObject(foreign);
    const state = { version: 4, serial: 1, lineage: "l", outputs: {}, resources: [] };
    for (const what of [
      `POST ${backendPath(workspace, lock.ID)}`,
      `POST ${at}/state-json`,
      `POST ${at}/rescued-states?job_id=${jobId}`,
    ])
      expect(await call(what, { token, body: state })).toMatchObject(foreign);
    expect((await call(`GET ${backendPath(workspace)}`, { token: same.token })).status).toBe(204);
  });

  test("reaches no state of pulumi there", async () => {
    const runner = await givenRunner(db, { orgId: org.orgId });
    const plan = naming["a workspace of pulumi"];
    const { token } = await runningJob(runner, plan, "pulumi-deploy");
    const at = `/v1/runners/pulumi-state/${workspace}`;
    expect(await call(`GET ${at}`, { token })).toMatchObject(foreign);
    expect(await call(`POST ${at}`, { token, body: {} })).toMatchObject(foreign);
  });

  test("reaches no release of an install's chart", async () => {
    const runner = await givenRunner(db, { orgId: org.orgId });
    const plan = naming["a chart"];
    const { token } = await runningJob(runner, plan, "helm-chart-deploy");
    const at = `/v1/helm-releases/${chart}/releases/apps`;
    for (const what of [`GET ${at}`, `GET ${at}/query?name=a`, `GET ${at}/k`, `DELETE ${at}/k`])
      expect(await call(what, { token })).toMatchObject(foreign);
    const record = { name: "web", version: 1, info: { status: "deployed" } };
    expect(await call(`POST ${at}/k`, { token, body: record })).toMatchObject(foreign);
    expect((await call(`GET ${at}`, { token: same.token })).status).toBe(200);
  });

  test("neither reads nor reports the run of an install's action", async () => {
    const runner = await givenRunner(db, { orgId: org.orgId });
    const plan = { ...naming["the run of an action"], steps: [{ run_id: "s", name: "s" }] };
    const { token } = await runningJob(runner, plan, "actions-workflow");
    const at = `/v1/installs/${own.installId}`;
    expect(await call(`GET ${at}/action-workflows/runs/${run.id}`, { token })).toMatchObject(
      foreign,
    );
    const step = `PUT ${at}/action-workflow-runs/${run.id}/steps/s`;
    const body = { status: "finished", execution_duration: 1 };
    expect(await call(step, { token, body })).toMatchObject(foreign);
  });
});

test("a workspace whose owner is no install of the org is named by any runner's plans, as before", async () => {
  const outside = { owner_type: "installs", owner_id: "ins_1" };
  const id = await made("POST /v1/terraform-workspaces", outside);
  const job = jobOf({ terraform_backend: { WorkspaceID: id } });
  for (const { runnerId } of [...others, own.runner])
    expect((await api(`POST /v1/runners/${runnerId}/jobs`, job)).status).toBe(201);
});

import { expect, test } from "vitest";
import { until } from "../../support/broker/given-polling.ts";
import { type ClaimedJob, httpAgent } from "../../support/broker/http-agent.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenProcess, givenRunner } from "../../support/rows/given.ts";
import { afterFile } from "../../support/run/after-file.ts";
import {
  givenWorkflowsApi,
  type Refused,
  stepIn,
  stepsOf,
} from "../../support/workflows/workflows-api.ts";

const { db, call, setup } = await givenWorkflowsApi();

const arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:license-AbCdEf";
const script = { steps: [{ name: "run", command: "true" }] };
const config = {
  "metadata.toml": { name: "shop" },
  "secrets.toml": {
    secret: [
      {
        name: "license",
        required: true,
        kubernetes_sync: true,
        kubernetes_secret_name: "license",
        kubernetes_secret_namespace: "shop",
      },
      { name: "kept" },
    ],
  },
  actions: {
    "before.toml": { name: "before", triggers: [{ type: "pre-secrets-sync" }], ...script },
    "after.toml": { name: "after", triggers: [{ type: "post-secrets-sync" }], ...script },
  },
};
const told = {
  name: "license",
  kubernetes_namespace: "shop",
  kubernetes_name: "license",
  kubernetes_key: "value",
  length: 12,
  exists: true,
  timestamp: "2026-01-02T03:04:05.678Z",
};

type Begun = Refused & { readonly workflow_id: string };
type State = { readonly secrets: Readonly<Record<string, Readonly<Record<string, unknown>>>> };

/** An install of such an app, and an agent that ends its jobs well; what it claimed of secrets. */
async function givenSyncs(document: object = config) {
  const org = await setup(document);
  const groups = { actions: 2, sandbox: 2 };
  const runner = await givenRunner(db, { orgId: org.orgId, parallelism: groups });
  const processId = await givenProcess(db, runner, { serves: groups });
  const token = await givenToken(db, runner);
  const agent = httpAgent(call, { ...runner, processId, token });
  const syncs: ClaimedJob[] = [];
  const over = new AbortController();
  const work = async () => {
    while (!over.signal.aborted) {
      const { status, body } = await agent.claim({ groups });
      if (status !== 200) return;
      for (const claimed of body.jobs) await end(claimed);
    }
  };
  const end = async (claimed: ClaimedJob) => {
    const isSync = JSON.stringify(claimed.plan).includes("kubernetes_secrets");
    if (isSync) syncs.push(claimed);
    await agent.report(claimed, "in-progress");
    const outputs = { license: { ...told, value: "never" }, other: told };
    const body = { status: "finished", result: { success: true }, ...(isSync && { outputs }) };
    const at = `/v1/runner-jobs/${claimed.job.id}/executions/${claimed.execution.id}`;
    await call(`POST ${at}/finish`, { token, body });
  };
  const done = work();
  afterFile(async () => {
    over.abort();
    await done;
  });
  const made = await org.create({ inputs: {}, runner_group_id: runner.groupId });
  const { id, workflow_id: workflowId = "" } = made.body;
  const at = `/v1/installs/${id}`;
  const sync = (body: object = {}) => org.api<Begun>(`POST ${at}/sync-secrets`, body);
  const state = async () => (await org.api<State>(`GET ${at}/state`)).body.secrets;
  const place = () => org.api(`PUT ${at}/secrets/license`, { arn });
  return { ...org, at, workflowId, syncs, sync, state, place };
}

test("a provision copies secrets once it is known where they are, and templates read what came of it", async () => {
  const org = await givenSyncs();
  const failed = await org.reach(org.workflowId, "failed-pending-retry");
  const step = stepIn(failed, "failed-pending-retry");
  expect(step).toMatchObject({
    name: "sync secrets",
    step_target_type: "install_workflow_steps",
    skippable: false,
    composite_error: { code: "missing_value" },
  });
  expect(step.composite_error?.detail).toContain("svc install secret set");
  expect(await org.state()).toEqual({
    license: { name: "license", length: 0, exists: false },
    kept: { name: "kept", length: 0, exists: false },
  });
  await org.place();
  const retried = await org.api(`POST ${org.at}/retry-workflow`, {
    workflow_id: failed.id,
    step_id: step.id,
    operation: "retry-step",
  });
  expect(retried.status).toBeLessThan(300);
  const provisioned = await org.reach(org.workflowId, "success");
  expect(stepsOf(provisioned)).toEqual([
    "generate install state: success",
    "provision runner service account: success",
    "runner healthy: success",
    "before action run (pre-secrets-sync): success",
    "sync secrets: error",
    "sync secrets: success",
    "after action run (post-secrets-sync): success",
  ]);
  expect(org.syncs[0]?.plan).toMatchObject({
    kubernetes_secrets: [{ secret_name: "license", secret_arn: arn, required: true }],
    host_cluster: true,
  });
  const empty = { gcp_secret_name: "", azure_key_vault_secret_id: "" };
  expect((await org.state())["license"]).toEqual({ ...told, arn, ...empty });
  expect(JSON.stringify(await org.state())).not.toContain("never");
});

test("a sync that somebody asks for is a change of its own, or only a look that keeps nothing", async () => {
  const org = await givenSyncs();
  await org.place();
  await org.reach(org.workflowId, "success", "failed-pending-retry");
  const begun = await org.sync();
  expect(begun.status).toBe(201);
  const { body } = await org.sync({ plan_only: true });
  const looked = await org.reach(body.workflow_id, "success");
  expect(stepsOf(looked)).toEqual(["generate install state: success", "sync secrets: success"]);
  const synced = await org.reach(begun.body.workflow_id, "success");
  expect(synced).toMatchObject({ type: "sync_secrets", role: "" });
  expect(stepsOf(synced).map((one) => one.split(" ")[0])).toEqual([
    "generate",
    "before",
    "sync",
    "after",
  ]);
  const jobs = await db<{ operation: string; owner_type: string }[]>`
    select j.operation, j.owner_type from runner_jobs j where j.type = 'sandbox-sync-secrets' and j.org_id = ${org.orgId}`;
  expect(jobs.map(({ operation }) => operation).sort()).toContain("create-apply-plan");
  expect(new Set(jobs.map((job) => job.owner_type))).toEqual(new Set(["install_workflow_steps"]));
  await until(async () => (await org.state())["license"]?.["exists"] === true);
  const { body: byRole } = await org.sync({ role: "ops" });
  const refused = await org.reach(byRole.workflow_id, "failed-pending-retry", "error");
  expect(JSON.stringify(refused.steps)).toContain("role_unavailable");
});

test("where no secret is to be copied the step is passed over, and none is asked for that cannot be", async () => {
  const { actions: _, ...rest } = config;
  const plain = await givenSyncs({ ...rest, "secrets.toml": { secret: [{ name: "kept" }] } });
  const provisioned = await plain.reach(plain.workflowId, "success");
  expect(stepsOf(provisioned).at(-1)).toBe("sync secrets: auto-skipped");
  const without = await givenSyncs({ "metadata.toml": { name: "shop" } });
  await without.reach(without.workflowId, "success");
  expect(await without.sync()).toMatchObject({ status: 409, body: { code: "no_secrets" } });
  const { body: fresh } = await plain.create({ name: "other", inputs: {}, start: false });
  expect(await plain.api(`POST /v1/installs/${fresh.id}/sync-secrets`, {})).toMatchObject({
    status: 409,
    body: { code: "never_provisioned" },
  });
  expect(await plain.sync({ force: true })).toMatchObject({ status: 422 });
});

import { expect, test } from "vitest";
import { givenInstall, givenWorkflowsApi, stepIn } from "../../support/workflows/workflows-api.ts";

const { db, call, setup } = await givenWorkflowsApi();
type Org = Awaited<ReturnType<typeof setup>>;

/** What a broker leaves that is killed between the work and the note of its answer. */
async function forgetAnswer(org: Org, key: string): Promise<void> {
  await db`
    update idempotency_keys set status = null, body = null, locked_at = svc_now() - interval '2 minutes'
     where org_id = ${org.orgId} and key = ${key}`;
}

async function twice(org: Org, what: string, body: object) {
  const headers = { "idempotency-key": `key of ${what}`.replaceAll(" ", "-") };
  const post = () => call(what, { token: org.token, body, headers });
  const first = await post();
  await forgetAnswer(org, headers["idempotency-key"]);
  const again = await post();
  expect([first.status, again.status]).toEqual([201, 201]);
  return { first: first.body, again: again.body };
}

test("a run that is asked for again, as its broker was killed before it answered, is begun once", async () => {
  const org = await setup();
  const { installId } = await givenInstall(org);
  const path = `/v1/installs/${installId}`;
  for (const [what, body] of [
    [`POST ${path}/actions/runs`, { name: "greet" }],
    [`POST ${path}/actions/adhoc-run`, { command: "true" }],
    [`POST ${path}/reprovision`, {}],
    [`POST ${path}/deprovision`, {}],
  ] as const) {
    const { first, again } = await twice(org, what, body);
    expect(again["workflow_id"]).toBe(first["workflow_id"]);
    expect(again["id"]).toBe(first["id"]);
    await org.reach(String(first["workflow_id"]), "success");
  }
  const workflows = await org.api<unknown[]>(`GET ${path}/workflows?limit=100`);
  expect(workflows.body).toHaveLength(5); // with its provision
});

test("inputs that are given again begin one update, which is told again", async () => {
  const org = await setup();
  const { installId } = await givenInstall(org);
  const body = { inputs: { audience: "moon" } };
  const { first, again } = await twice(org, `POST /v1/installs/${installId}/inputs`, body);
  expect(again).toEqual(first);
});

test("what moves a workflow on moves it once, and answers the same again", async () => {
  const org = await setup();
  let fails = 3;
  const { installId } = await givenInstall(org, {
    ends: (plan) => (plan.includes("echo Hello") && fails-- > 0 ? "failed" : "finished"),
  });
  const id = (await org.run(installId, "greet")).body.workflow_id;
  const runs = async () =>
    (await org.read(id)).body.workflow_runs.map(({ type, status }) => `${type} ${status.status}`);
  const failed = async () =>
    stepIn(await org.reach(id, "failed-pending-retry"), "failed-pending-retry").id;
  await twice(org, `POST /v1/workflows/${id}/steps/${await failed()}/retry`, {});
  await failed();
  expect(await runs()).toEqual(["initial error", "retry error"]);
  await db`update workflows set status_at = status_at - interval '31 days' where id = ${id}`;
  await db`select wake_workflow(${org.orgId}, ${id})`;
  await org.reach(id, "error");
  await twice(org, `POST /v1/workflows/${id}/resume`, {});
  await twice(org, `POST /v1/workflows/${id}/steps/${await failed()}/skip`, {});
  await org.reach(id, "success");
  expect(await runs()).toEqual(["initial error", "retry error", "resume error", "skip success"]);
});

test("an approval that is answered again has its answer", async () => {
  const org = await setup();
  const { installId } = await givenInstall(org);
  const id = (await org.run(installId, "careful")).body.workflow_id;
  for (const [type, outcome] of [
    ["retry", "replanned"],
    ["approve", "applied"],
  ]) {
    const step = stepIn(await org.reach(id, "approval-awaiting"), "approval-awaiting");
    const at = `/v1/workflows/${id}/steps/${step.id}/approvals/${step.approval?.id ?? ""}/response`;
    const { first, again } = await twice(org, `POST ${at}`, { response_type: type });
    expect(first).toMatchObject({ outcome });
    expect(again).toEqual(first);
  }
  await org.reach(id, "success");
});

test("an install that is created again, as its broker was killed before it answered, is there once", async () => {
  const org = await setup();
  const body = { name: "once", inputs: { audience: "world" } };
  const { first, again } = await twice(org, `POST /v1/apps/${org.appId}/installs`, body);
  expect(again["id"]).toBe(first["id"]);
  expect(again["workflow_id"]).toBe(first["workflow_id"]);
  const [count] = await db<{ n: number }[]>`
    select count(*)::int as n from workflows where org_id = ${org.orgId}`;
  expect(count?.n).toBe(1);
});

test("the same request with another key makes another", async () => {
  const org = await setup();
  const { installId } = await givenInstall(org);
  const run = (key: string) =>
    call<{ id: string }>(`POST /v1/installs/${installId}/actions/runs`, {
      token: org.token,
      body: { name: "greet" },
      headers: { "idempotency-key": key },
    });
  const [one, same, other] = [await run("a"), await run("a"), await run("b")];
  expect(same.body.id).toBe(one.body.id);
  expect(other.body.id).not.toBe(one.body.id);
});

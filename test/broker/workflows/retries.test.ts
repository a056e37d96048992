import { describe, expect, test } from "vitest";
import type { Install } from "../../../shared/api/install.ts";
import type { WholeWorkflow } from "../../../shared/api/workflow.ts";
import { until } from "../../support/broker/given-polling.ts";
import { advanceClock } from "../../support/database/clock.ts";
import {
  givenInstall,
  givenWorkflowsApi,
  shopConfig,
  stepIn,
  stepsOf,
} from "../../support/workflows/workflows-api.ts";

const { db, setup } = await givenWorkflowsApi();

async function given(ends: (plan: string) => "finished" | "failed", config?: object) {
  const org = await setup(config);
  const install = await givenInstall(org, { ends });
  /** The step of this status that was tried so often. */
  async function stepOf(id: string, status: string, tries: number) {
    const isIt = (one: WholeWorkflow["steps"][number]) =>
      one.status.status === status && one.retry_index === tries;
    let steps: WholeWorkflow["steps"] = [];
    await until(async () => {
      ({ steps } = (await org.read(id)).body);
      return steps.some(isIt);
    });
    const step = steps.find(isIt);
    if (step === undefined) throw new Error("it was just there");
    return step;
  }
  const retry = (step: WholeWorkflow["steps"][number]) =>
    org.api(`POST /v1/workflows/${step.workflow_id}/steps/${step.id}/retry`);
  return { ...org, ...install, stepOf, retry };
}

/** A workflow that failed, and that nobody retried for a month. */
async function giveUp({ orgId, reach }: Awaited<ReturnType<typeof given>>, id: string) {
  await reach(id, "failed-pending-retry");
  await db`update workflows set status_at = status_at - interval '31 days' where id = ${id}`;
  await db`select wake_workflow(${orgId}, ${id})`;
  await reach(id, "error");
}

describe("a step that fails again and again", () => {
  test("can be retried ten times", async () => {
    const { run, installId, stepOf, retry, api } = await given((plan) =>
      plan.includes("echo Hello") ? "failed" : "finished",
    );
    const id = (await run(installId, "greet")).body.workflow_id;
    const first = await stepOf(id, "failed-pending-retry", 0);
    const at = `/v1/workflows/${id}/steps/${first.id}`;
    expect((await api(`GET ${at}/await`)).body).toMatchObject({ id: first.id });
    const body = { workflow_id: id, step_id: first.id, operation: "retry-step" };
    const path = `/v1/installs/${installId}/retry-workflow`;
    const elsewhere = `/v1/installs/ins_${"0".repeat(26)}/retry-workflow`;
    expect((await api(`POST ${elsewhere}`, body)).status).toBe(404);
    expect((await api(`POST ${path}`, { ...body, step_id: "stp_none" })).status).toBe(404);
    expect(await api(`POST ${path}`, body)).toMatchObject({
      status: 201,
      body: { workflow_id: id },
    });
    for (let n = 1; n < 10; n++)
      expect((await retry(await stepOf(id, "failed-pending-retry", n))).status).toBe(201);
    expect(await retry(await stepOf(id, "failed-pending-retry", 10))).toMatchObject({
      status: 409,
      body: { code: "retries_exhausted" },
    });
  });

  test("is retried no less often because somebody asked for another plan before", async () => {
    const { run, respond, installId, stepOf, retry } = await given((plan) =>
      plan.includes("echo world") ? "failed" : "finished",
    );
    const id = (await run(installId, "careful")).body.workflow_id;
    for (let n = 0; n < 10; n++) {
      const step = await stepOf(id, "approval-awaiting", n);
      expect((await respond(step, { response_type: "retry" })).body.outcome).toBe("replanned");
    }
    await respond(await stepOf(id, "approval-awaiting", 10), { response_type: "approve" });
    expect((await retry(await stepOf(id, "failed-pending-retry", 10))).status).toBe(201);
  });

  test("gives up its place after an hour when another one waits in the lane; one that was given up is resumed unless another came", async () => {
    let fails = 1;
    const org = await given((plan) =>
      plan.includes("echo before") && fails-- > 0 ? "failed" : "finished",
    );
    const { api, agent, installId, reach, sync, read } = org;
    await sync({
      "metadata.toml": { name: "shop" },
      actions: {
        "before.toml": {
          name: "before",
          triggers: [{ type: "pre-reprovision" }],
          steps: [{ name: "run", command: "echo before" }],
        },
      },
    });
    const path = `POST /v1/installs/${installId}/reprovision`;
    const first = (await api<{ workflow_id: string }>(path, {})).body.workflow_id;
    await reach(first, "failed-pending-retry");
    const clock = async () => {
      const [job] = await db<{ minutes: number }[]>`
        select extract(epoch from j.run_at - w.status_at) / 60 as minutes
          from graphile_worker.jobs j join workflows w on j.key = 'advance-at:' || w.id where w.id = ${first}`;
      return Math.round(Number(job?.minutes)); // the clock counts in milliseconds
    };
    await until(async () => (await clock()) === 30 * 24 * 60);
    const second = (await api<{ workflow_id: string }>(path, {})).body.workflow_id;
    await until(async () => (await clock()) === 60); // not only when it is looked at anyway
    await advanceClock(db, "61 minutes", { alive: [agent.processId] });
    await reach(first, "error");
    await reach(second, "success");
    expect((await api(`POST /v1/workflows/${first}/resume`)).body.code).toBe("superseded");
    fails = 1;
    const third = (await api<{ workflow_id: string }>(path, {})).body.workflow_id;
    await giveUp(org, third);
    expect((await api(`POST /v1/workflows/${third}/resume`)).status).toBe(201);
    const { workflow_runs: runs, steps } = await reach(third, "success");
    expect(runs.map(({ type, status }) => `${type} ${status.status}`)).toEqual([
      "initial error",
      "resume success",
    ]);
    expect(stepIn((await read(third)).body, "error").name).toContain("before");
    expect(steps.at(-1)?.status.status).toBe("success");
    expect((await api(`POST /v1/workflows/${third}/resume`)).body.code).toBe("not_resumable");
  });
});

test("a change that failed is not resumed after another one began, nor behind one that waits", async () => {
  let fails = 2;
  const org = await given((plan) =>
    plan.includes("echo before") && fails-- > 0 ? "failed" : "finished",
  );
  const { api, installId, reach, sync } = org;
  await sync({
    "metadata.toml": { name: "shop" },
    actions: {
      "before.toml": {
        name: "before",
        triggers: [{ type: "pre-reprovision" }],
        steps: [{ name: "run", command: "echo before" }],
      },
    },
  });
  const begin = async () =>
    (await api<{ workflow_id: string }>(`POST /v1/installs/${installId}/reprovision`, {})).body
      .workflow_id;
  const failed = async () => {
    const id = await begin();
    await giveUp(org, id);
    return id;
  };
  const early = await failed();
  const late = await failed();
  const refused = await api(`POST /v1/workflows/${early}/resume`);
  expect([refused.status, refused.body.code]).toEqual([409, "superseded"]);
  const [lane] = await db<{ id: string }[]>`
    select id from queues where install_id = ${installId} and name = 'changes'`;
  await api(`POST /v1/queues/${lane?.id ?? ""}/pause`, { note: "wait" });
  const next = await begin();
  const behind = await api(`POST /v1/workflows/${late}/resume`);
  expect([behind.status, behind.body.code]).toEqual([409, "superseded"]);
  expect(behind.body.detail).toContain("is waiting in the lane");
  await api(`POST /v1/queues/${lane?.id ?? ""}/resume`, {});
  await reach(next, "success");
  const install = await api<Install>(`GET /v1/installs/${installId}`);
  expect(install.body.lifecycle_phase).toMatchObject({ phase: "active", workflow_id: next });
});

describe("a retry of what wants an approval", () => {
  test("asks again when its plan could not be made, and runs nothing before", async () => {
    const command = "echo {{ required `no size` .svc.inputs.inputs.size }}";
    const sized = { name: "sized", approval: true, steps: [{ name: "run", command }] };
    const org = await given(() => "finished", {
      ...shopConfig,
      actions: { "sized.toml": sized },
    });
    const id = (await org.run(org.installId, "sized")).body.workflow_id;
    const failed = await org.stepOf(id, "failed-pending-retry", 0);
    expect(failed.name).toBe("approve sized");
    await org.api(`PATCH /v1/installs/${org.installId}/inputs`, { inputs: { size: 5 } });
    expect((await org.retry(failed)).status).toBe(201);
    const again = stepIn(await org.reach(id, "approval-awaiting", "success"), "approval-awaiting");
    expect(org.agent.plans).toEqual([]);
    await org.respond(again, { response_type: "approve" });
    await org.reach(id, "success");
    expect(org.agent.plans).toHaveLength(1);
  });

  test("runs the action again once that is approved", async () => {
    let fails = 1;
    const { run, respond, reach, retry, installId, agent, stepOf } = await given((plan) =>
      plan.includes("echo world") && fails-- > 0 ? "failed" : "finished",
    );
    const id = (await run(installId, "careful")).body.workflow_id;
    await respond(await stepOf(id, "approval-awaiting", 0), { response_type: "approve" });
    await retry(await stepOf(id, "failed-pending-retry", 0));
    await respond(await stepOf(id, "approval-awaiting", 1), { response_type: "approve" });
    expect(stepsOf(await reach(id, "success")).slice(1)).toEqual([
      "approve careful: approved",
      "approve careful: approved",
      "careful action run (manual): error",
      "careful action run (manual): success",
    ]);
    expect(agent.plans.filter((plan) => plan.includes("echo world"))).toHaveLength(2);
  });
});

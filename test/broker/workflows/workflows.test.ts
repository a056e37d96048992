import { describe, expect, test } from "vitest";
import { until } from "../../support/broker/given-polling.ts";
import {
  type End,
  givenInstall,
  givenWorkflowsApi,
  stepIn,
  stepsOf,
} from "../../support/workflows/workflows-api.ts";

const { setup } = await givenWorkflowsApi({ brokers: 2 });

describe("a step that fails", () => {
  const failing = async (ends: (plan: string) => End) => {
    const org = await setup();
    let isOn = false;
    const made = await givenInstall(org, { ends: (plan) => (isOn ? ends(plan) : "finished") });
    isOn = true;
    return { ...org, ...made };
  };

  test("waits for a retry, which is another row, and the workflow goes on from it", async () => {
    let fails = 1;
    const { run, installId, reach, api } = await failing(() =>
      fails-- > 0 ? "failed" : "finished",
    );
    const { body } = await run(installId, "greet");
    const stalled = await reach(body.workflow_id, "failed-pending-retry");
    const step = stepIn(stalled, "failed-pending-retry");
    expect(step.composite_error).toMatchObject({ code: "job_failed", step_id: step.id });
    const { title = "", detail = "" } = step.composite_error ?? {};
    expect(step.composite_error).toMatchObject({
      type: "job_failed",
      message: `${title}: ${detail}`,
      source_type: "runner_jobs",
      source_id: step.runner_job_id,
      version: 1,
    });
    expect(stalled.steps[0]).not.toHaveProperty("composite_error");
    const at = `/v1/workflows/${body.workflow_id}/steps/${step.id}`;
    expect(await api(`POST ${at}/retry`)).toMatchObject({ status: 201, body: { retryable: true } });
    const done = await reach(body.workflow_id, "success");
    expect(stepsOf(done).slice(1)).toEqual([
      "greet action run (manual): error",
      "greet action run (manual): success",
    ]);
    expect(done.workflow_runs.map(({ type, status }) => `${type} ${status.status}`)).toEqual([
      "initial error",
      "retry success",
    ]);
    expect(await api(`POST ${at}/retry`)).toMatchObject({
      status: 409,
      body: { code: "not_retryable" },
    });
    const runs = await api<{ status: string }[]>(
      `GET /v1/installs/${installId}/actions/runs?name=greet`,
    );
    expect(runs.body.map(({ status }) => status)).toEqual(["finished", "retried"]);
  });

  test("can be skipped, if nothing needs it", async () => {
    const { run, installId, reach, api } = await failing(() => "failed");
    const { body } = await run(installId, "greet");
    const step = stepIn(
      await reach(body.workflow_id, "failed-pending-retry"),
      "failed-pending-retry",
    );
    expect((await api(`POST /v1/workflows/${body.workflow_id}/steps/${step.id}/skip`)).status).toBe(
      201,
    );
    expect(stepsOf(await reach(body.workflow_id, "success")).at(-1)).toContain("user-skipped");
  });

  test("of an approved run is tried again from its approval, so that no plan is run twice", async () => {
    let fails = 1;
    const { run, installId, reach, api, respond } = await failing(() =>
      fails-- > 0 ? "failed" : "finished",
    );
    const { body } = await run(installId, "careful");
    const first = stepIn(await reach(body.workflow_id, "approval-awaiting"), "approval-awaiting");
    await respond(first, { response_type: "approve" });
    const failed = stepIn(
      await reach(body.workflow_id, "failed-pending-retry"),
      "failed-pending-retry",
    );
    await api(`POST /v1/workflows/${body.workflow_id}/steps/${failed.id}/retry`);
    const again = stepIn(await reach(body.workflow_id, "approval-awaiting"), "approval-awaiting");
    expect(again).toMatchObject({ group_retry_idx: 1, retry_index: 1 });
    await respond(again, { response_type: "approve" });
    await reach(body.workflow_id, "success");
  });

  test("of an action with a post- trigger is passed over", async () => {
    let fails = 1;
    const { installId, reach, api } = await failing((plan) =>
      plan.includes("echo first") && fails-- > 0 ? "failed" : "finished",
    );
    const { body } = await api<{ workflow_id: string }>(`PATCH /v1/installs/${installId}/inputs`, {
      inputs: { audience: "mars" },
    });
    const { steps } = await reach(body.workflow_id, "success", "failed-pending-retry");
    expect(steps.at(-1)).toMatchObject({
      status: { status: "error" },
      result_directive: "continue",
    });
  });
});

describe("a cancel", () => {
  test("is final when the job has stopped, and what finished all the same keeps its end", async () => {
    const org = await setup();
    let holds = false;
    const { installId, agent } = await givenInstall(org, {
      ends: () => (holds ? "held" : "finished"),
    });
    holds = true;
    const { body } = await org.run(installId, "greet");
    await until(async () => Promise.resolve(agent.held.length === 1));
    expect((await org.api(`POST /v1/workflows/${body.workflow_id}/cancel`)).status).toBe(202);
    const during = (await org.read(body.workflow_id)).body;
    expect(during).toMatchObject({ cancelling: true, finished: false });
    const [held] = agent.held;
    if (held !== undefined) await agent.end(held, "failed");
    const done = await org.reach(body.workflow_id, "cancelled");
    expect(stepsOf(done).at(-1)).toBe("greet action run (manual): cancelled");
    expect(await org.api(`POST /v1/workflows/${body.workflow_id}/cancel`)).toMatchObject({
      status: 409,
      body: { code: "workflow_final" },
    });
  });

  test("of one that waits for its turn, or for somebody, is final at once", async () => {
    const org = await setup();
    const { installId } = await givenInstall(org);
    const { body } = await org.run(installId, "careful");
    await org.reach(body.workflow_id, "approval-awaiting");
    await org.api(`POST /v1/workflows/${body.workflow_id}/cancel`);
    expect((await org.read(body.workflow_id)).body.status.status).toBe("cancelled");
    const another = (await org.run(installId, "careful")).body.workflow_id;
    await org.reach(another, "approval-awaiting");
    const many = await org.api("POST /v1/workflows/cancel", {
      workflow_ids: [body.workflow_id, `wfl_${"0".repeat(26)}`, another],
    });
    const none = `wfl_${"0".repeat(26)}`;
    expect(many.body).toEqual({
      cancelled: [another],
      errors: [
        { workflow_id: body.workflow_id, error: "It has finished." },
        { workflow_id: none, error: "There is no such workflow." },
      ],
      outcomes: [
        { workflow_id: body.workflow_id, outcome: "final" },
        { workflow_id: none, outcome: "not-found" },
        { workflow_id: another, outcome: "cancelled" },
      ],
    });
  });
});

describe("a lane", () => {
  test("has one change at a time; others wait in line, and runs of actions pass", async () => {
    const org = await setup();
    const { body } = await org.create(); // waits for its runner
    await org.reach(body.workflow_id ?? "", "in-progress");
    const path = `POST /v1/installs/${body.id}/reprovision`;
    const second = (await org.api<{ workflow_id: string }>(path, {})).body.workflow_id;
    const third = (await org.api<{ workflow_id: string }>(path, {})).body.workflow_id;
    expect((await org.api(`GET /v1/workflows/${third}/queue-position`)).body).toMatchObject({
      position: 2,
      signals_ahead: [{ workflow_id: body.workflow_id }, { workflow_id: second }],
    });
    await org.api(`POST /v1/workflows/${second}/cancel`);
    expect((await org.read(second)).body.status.status).toBe("cancelled");
    await org.api(`POST /v1/workflows/${body.workflow_id ?? ""}/cancel`);
    await org.reach(third, "in-progress");
  });

  test("that is purged cancels what waits in it", async () => {
    const org = await setup();
    const { body } = await org.create();
    await org.reach(body.workflow_id ?? "", "in-progress");
    const path = `POST /v1/installs/${body.id}/reprovision`;
    const second = (await org.api<{ workflow_id: string }>(path, {})).body.workflow_id;
    const lane = body.queues.find(({ name }) => name === "changes")?.id ?? "";
    expect((await org.api(`POST /v1/queues/${lane}/purge`, {})).status).toBeLessThan(300);
    await org.reach(second, "cancelled");
  });
});

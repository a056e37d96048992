import { describe, expect, test } from "vitest";
import type { ShownStep, WholeWorkflow } from "../../../shared/api/workflow.ts";
import {
  givenInstall,
  givenWorkflowsApi,
  stepIn,
  stepsOf,
} from "../../support/workflows/workflows-api.ts";

const { db, setup } = await givenWorkflowsApi();

const action = (command: string, index: number) => ({
  name: command,
  triggers: [{ type: "pre-reprovision", index }],
  steps: [{ name: "run", command: `echo ${command}` }],
});
const config = {
  "metadata.toml": { name: "shop" },
  actions: {
    "one.toml": action("one", 1),
    "two.toml": action("two", 2),
    "three.toml": action("three", 3),
  },
};

/** A reprovision whose first action is held, fails, or finishes. */
async function given(one: "held" | "failed" | "finished") {
  const org = await setup(config);
  const install = await givenInstall(org, {
    inputs: {},
    ends: (plan) => (plan.includes("echo one") ? one : "finished"),
  });
  const made = await org.api<{ workflow_id: string }>(
    `POST /v1/installs/${install.installId}/reprovision`,
    {},
  );
  const id = made.body.workflow_id;
  const cancel = (step: ShownStep) =>
    org.api(`POST /v1/workflows/${step.workflow_id}/steps/${step.id}/cancel`);
  const named = ({ steps }: WholeWorkflow, name: string): ShownStep => {
    const step = steps.findLast((it) => it.name.startsWith(name));
    if (step === undefined) throw new Error(`there is no step ${name}`);
    return step;
  };
  const eventsOf = async () =>
    (
      await db<{ said: string }[]>`
        select coalesce(data -> 'step' ->> 'name', 'workflow') || ' ' || transition as said
          from events where org_id = ${org.orgId} and workflow_id = ${id} order by seq`
    ).map(({ said }) => said);
  return { ...org, ...install, id, cancel, named, eventsOf };
}

describe("cancelling a step", () => {
  test("that has not begun ends its workflow as an error when it comes to it; nothing of it runs", async () => {
    const { id, cancel, named, reach, read, agent, api, eventsOf } = await given("held");
    await expect.poll(() => agent.held.length).toBe(1);
    const two = named((await read(id)).body, "two");
    expect(two.status.status).toBe("pending");
    expect((await cancel(two)).status).toBe(202);
    expect((await read(id)).body.status.status).toBe("in-progress"); // what runs runs on
    expect(await cancel(two)).toMatchObject({ status: 409, body: { code: "step_final" } });
    const finish = async () => {
      for (const claimed of agent.held.splice(0)) await agent.end(claimed, "finished");
    };
    await finish();
    const done = await reach(id, "error");
    expect(stepsOf(done).slice(-3)).toEqual([
      "one action run (pre-reprovision): success",
      "two action run (pre-reprovision): cancelled",
      expect.stringMatching(/^three action run \(pre-reprovision\): (discarded|not-attempted)$/),
    ]);
    expect(done.steps.at(-2)?.result_directive).toBe("stop");
    expect(agent.plans.some((plan) => plan.includes("echo two"))).toBe(false);
    const events = await eventsOf();
    expect(events.filter((said) => said.startsWith("two"))).toEqual([]);
    expect(events.at(-1)).toBe("workflow failed");
    expect((await api(`POST /v1/workflows/${id}/resume`)).status).toBe(201);
    await expect.poll(() => agent.held.length).toBe(1); // its group begins anew
    await finish();
    const resumed = await reach(id, "success");
    expect(named(resumed, "two").status.status).toBe("success");
  });

  test("that failed and waits for somebody ends its workflow as an error at once, without a second event", async () => {
    const { id, cancel, reach, eventsOf } = await given("failed");
    const stalled = await reach(id, "failed-pending-retry");
    const step = stepIn(stalled, "failed-pending-retry");
    expect((await cancel(step)).status).toBe(202);
    const done = await reach(id, "error");
    expect(stepsOf(done).slice(-3)).toEqual([
      "one action run (pre-reprovision): cancelled",
      "two action run (pre-reprovision): not-attempted",
      "three action run (pre-reprovision): not-attempted",
    ]);
    expect((await eventsOf()).filter((said) => /failed|cancelled/.test(said))).toEqual([
      "one action run (pre-reprovision) failed",
      "workflow failed",
    ]);
    expect(await cancel(step)).toMatchObject({ status: 409, body: { code: "step_final" } });
  });

  test("after one that failed ends the workflow, too, and the one that failed cannot be retried any more", async () => {
    const { id, cancel, named, reach, api } = await given("failed");
    const stalled = await reach(id, "failed-pending-retry");
    const failed = stepIn(stalled, "failed-pending-retry");
    expect((await cancel(named(stalled, "three"))).status).toBe(202);
    const done = await reach(id, "error");
    expect(stepsOf(done).slice(-3)).toEqual([
      "one action run (pre-reprovision): error",
      "two action run (pre-reprovision): not-attempted",
      "three action run (pre-reprovision): cancelled",
    ]);
    const retried = await api(`POST /v1/workflows/${id}/steps/${failed.id}/retry`);
    expect(retried).toMatchObject({ status: 409, body: { code: "not_retryable" } });
  });

  test("that has ended is refused", async () => {
    const { id, cancel, reach } = await given("finished");
    for (const step of (await reach(id, "success")).steps)
      expect(await cancel(step)).toMatchObject({ status: 409, body: { code: "step_final" } });
  });

  test("from many at once, while its workflow moves on, ends it once", async () => {
    const { id, cancel, named, read, reach } = await given("finished");
    await expect.poll(async () => (await read(id)).body.steps.length).toBeGreaterThan(0);
    const three = named((await read(id)).body, "three");
    const answers = await Promise.all(Array.from({ length: 6 }, () => cancel(three)));
    const told = answers.filter(({ status }) => status === 202).length;
    const done = await reach(id, "error", "success");
    const last = named(done, "three").status.status;
    expect([last, done.status.status]).toEqual(
      last === "cancelled" ? ["cancelled", "error"] : ["success", "success"],
    );
    expect(told).toBeLessThanOrEqual(last === "cancelled" ? 6 : 0);
  });
});

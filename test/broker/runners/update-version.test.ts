import { beforeAll, describe, expect, test } from "vitest";
import type { RunnerUpdate } from "../../../shared/api/runner-updates.ts";
import type { Runner } from "../../../shared/api/runner.ts";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { claim, givenOrg, givenProcess, report } from "../../support/rows/given.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

/** A runner with an agent of version 1.0.0 and the process that manages its host. */
async function setup(settings: object = {}) {
  const { given, id } = await at.createRunner();
  await at.call(`PATCH /v1/runners/${id}/settings`, { body: settings });
  const agentId = await givenProcess(at.db, given);
  const mngId = await givenProcess(at.db, given, { type: "mng", serves: { management: 1 } });
  const order = async (body: object = {}) =>
    await at.call<RunnerUpdate & { code?: string }>(`POST /v1/runners/${id}/update-version`, {
      body,
    });
  const read = async (): Promise<Runner> => (await at.call<Runner>(`GET /v1/runners/${id}`)).body;
  return { given, id, agentId, mngId, order, read };
}

describe("the version of a runner", () => {
  test.each([
    [{}, { is_behind: false, summary: "runs 1.0.0" }],
    [{ binary_version: "v1.0.0" }, { is_behind: false, summary: "runs 1.0.0" }],
    [{ binary_version: "1.3.0" }, { is_behind: true, summary: "runs 1.0.0, wants 1.3.0" }],
    [
      { container_image_url: "a/b", container_image_tag: "1.3.0" },
      { is_behind: true, wanted_image: "a/b:1.3.0", summary: "runs 1.0.0, wants a/b:1.3.0" },
    ],
    [
      { container_image_url: "a/b", container_image_tag: "stable" },
      { is_behind: false, summary: "runs 1.0.0, wants a/b:stable" },
    ],
  ])("is told against that of the settings %o", async (settings, versions) => {
    const { id, read } = await setup(settings);
    expect((await read()).versions).toMatchObject(versions);
    const { body } = await at.call<{ items: Runner[] }>("GET /v1/runners?limit=100");
    expect(body.items.find((one) => one.id === id)?.versions).toMatchObject(versions);
  });
});

describe("an order to update", () => {
  test("has an actor, a reason, a deadline and a course, and ends as its job does", async () => {
    const { given, id, mngId, order, read } = await setup();
    const made = await order({ version: "v1.3.0", reason: "a fix", deadline: "10m" });
    expect(made).toMatchObject({
      status: 201,
      body: { runner_id: id, version: "1.3.0", status: "requested", reason: "a fix" },
    });
    const { job_id: jobId, created_at: at_, deadline_at: until } = made.body;
    expect(Date.parse(until ?? "") - Date.parse(at_)).toBe(600_000);
    expect(made.body.created_by_id).not.toBe("");
    const [taken] = await claim(at.db, given, { processId: mngId, group: "management" });
    if (taken === undefined) throw new Error("the order was not taken");
    expect(taken.jobId).toBe(jobId);
    const { executionId } = taken;
    await report(at.db, given, { executionId, status: "in-progress" });
    expect((await read()).updates).toMatchObject([{ job_id: jobId, status: "in-progress" }]);
    const description = "7.2.0 does not work here: it sent no heartbeat.";
    await report(at.db, given, { executionId, status: "failed", description });
    expect((await read()).updates).toMatchObject([
      { status: "failed", status_description: description, deadline_at: null },
    ]);
  });

  test("is what the settings ask for, unless it says so itself", async () => {
    const { order } = await setup({ binary_version: "1.3.0" });
    const other = await order({ version: "1.4.0" });
    expect(other).toMatchObject({ status: 409, body: { code: "settings_ask_otherwise" } });
    expect(await order()).toMatchObject({ status: 201, body: { version: "1.3.0" } });
  });

  test.each([
    [{}, "#/version", "required"],
    [{ version: "latest" }, "#/version", "invalid_format"],
    [{ image: "a/b" }, "#/image", "invalid_format"],
    [{ version: "1.3.0", deadline: "1m" }, "#/deadline", "invalid_duration"],
    [{ version: "1.3.0", binary: "x" }, "#/binary", "unknown_member"],
  ])("that says %o is refused, with a pointer", async (body, pointer, code) => {
    const { order } = await setup();
    expect(await order(body)).toMatchObject({ status: 422, body: { errors: [{ pointer, code }] } });
  });

  test("is refused while another is under way, and can be cancelled", async () => {
    const { order, read } = await setup();
    const first = await order({ version: "1.3.0" });
    const second = await order({ version: "1.4.0" });
    expect(second).toMatchObject({ status: 409, body: { code: "update_open" } });
    expect(JSON.stringify(second.body)).toContain(first.body.job_id);
    await at.call(`POST /v1/runner-jobs/${first.body.job_id}/cancel`);
    expect((await read()).updates).toMatchObject([{ status: "cancelled" }]);
    expect((await order({ version: "1.4.0" })).status).toBe(201);
  });

  test("is given once for an idempotency key", async () => {
    const { id, read } = await setup();
    const headers = { "Idempotency-Key": `update-${id}` };
    const body = { version: "1.3.0" };
    const ask = async () =>
      await at.call<RunnerUpdate>(`POST /v1/runners/${id}/update-version`, { body, headers });
    const [first, second] = [await ask(), await ask()];
    expect(second).toMatchObject({ status: 201, body: { job_id: first.body.job_id } });
    expect((await read()).updates).toHaveLength(1);
  });

  test("needs somebody who obeys, and an operator of this org", async () => {
    const { given, id } = await at.createRunner();
    await givenProcess(at.db, given);
    const path = `POST /v1/runners/${id}/update-version`;
    const body = { version: "1.3.0" };
    const nobody = await at.call(path, { body });
    expect(nobody).toMatchObject({ status: 409, body: { code: "no_management_process" } });
    const other = await givenOrg(at.db);
    const tokens = {
      404: await givenToken(at.db, { orgId: other }),
      403: await givenToken(at.db, given),
    };
    for (const [status, token] of Object.entries(tokens))
      expect((await at.call(path, { body, token })).status).toBe(Number(status));
    await at.call(`DELETE /v1/runners/${id}`);
    expect((await at.call(path, { body })).status).toBe(404);
  });

  test("failed when its deadline passed", async () => {
    const { agentId, mngId, order, read } = await setup();
    await order({ version: "1.3.0", deadline: "5m" });
    await advanceClock(at.db, "5 minutes", { alive: [agentId, mngId] });
    await expect
      .poll(async () => (await read()).updates)
      .toMatchObject([
        { status: "failed", status_description: "Its deadline passed before it was done." },
      ]);
  });
});

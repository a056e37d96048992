import { beforeAll, describe, expect, test } from "vitest";
import type { RunnerCard, RunnerConnection } from "../../../shared/api/runner-card.ts";
import type { RunnerJob } from "../../../shared/api/runner-job.ts";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { claim, givenJobs, givenOrg, givenProcess } from "../../support/rows/given.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

describe("a management order", () => {
  test.each([
    ["shutdown-vm", "mng-vm-shut-down"],
    ["shutdown", "mng-shut-down"],
    ["update", "mng-runner-update-version"],
    ["restart", "mng-runner-restart"],
  ])("%s is a job for the management process", async (order, type) => {
    const { id, given } = await at.createRunner();
    const answer = await at.call<RunnerJob>(`POST /v1/runners/${id}/mng/${order}`, {
      headers: { "idempotency-key": `mng-${order}` },
    });
    expect(answer).toMatchObject({
      status: order === "update" ? 201 : 200,
      body: {
        type,
        group: "management",
        operation: "exec",
        runner_id: id,
        owner_id: id,
        overall_timeout: 3600e9,
      },
    });
    const again = await at.call<RunnerJob>(`POST /v1/runners/${id}/mng/${order}`, {
      headers: { "idempotency-key": `mng-${order}` },
    });
    expect(again.body.id).toBe(answer.body.id);
    const processId = await givenProcess(at.db, given, { type: "mng", serves: { management: 1 } });
    const [taken] = await claim(at.db, given, { processId, group: "management" });
    expect(taken?.jobId).toBe(answer.body.id);
  });

  test("is refused for a disabled runner, another org's, and to who may not operate", async () => {
    const { id } = await at.createRunner();
    const path = `POST /v1/runners/${id}/mng/restart`;
    const stranger = await givenToken(at.db, { orgId: await givenOrg(at.db) });
    const builder = await givenToken(at.db, { orgId: at.orgId, role: "org_builder" });
    expect((await at.call(path, { token: stranger })).status).toBe(404);
    expect((await at.call(path, { token: builder })).status).toBe(403);
    expect((await at.call(path, { body: { force: true } })).status).toBe(422);
    await at.call(`POST /v1/runners/${id}/disable`);
    expect(await at.call(path)).toMatchObject({ status: 409, body: { code: "runner_disabled" } });
    expect((await at.call(`POST /v1/runners/${id}/mng/explode`)).status).toBe(404);
  });
});

describe("a runner's card", () => {
  test("shows its connection, its jobs, its beats and its health", async () => {
    const { id, given, name } = await at.createRunner();
    const before = await at.call<RunnerConnection>(`GET /v1/runners/${id}/connected`);
    expect(before.body).toEqual({
      runner_id: id,
      connected: false,
      live_processes: 0,
      latest_heart_beat_at: null,
      latest_heartbeat_timestamp: 0,
    });
    const processId = await givenProcess(at.db, given);
    await givenJobs(at.db, given, [{}, {}, {}]);
    await claim(at.db, given, { processId });
    const token = await givenToken(at.db, { orgId: at.orgId, runnerId: id });
    const check = { process: "install", process_id: processId, status: "active" };
    await at.call(`POST /v1/runners/${id}/health-checks`, { token, body: check });
    await at.call(`POST /v1/runners/${id}/pause`, { body: { note: "lunch" } });
    const { status, body } = await at.call<RunnerCard>(`GET /v1/runners/${id}/card-details`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name,
      connected: true,
      live_processes: 1,
      status: "active",
      paused: true,
      warnings: ["paused until it is resumed: lunch"],
      waiting_jobs: 2,
      running_jobs: 1,
      latest_heart_beats: { install: { process_id: processId } },
      latest_heart_beat: { process_id: processId },
      runner: { id, name },
      recent_health_checks: [{ process_id: processId, status: "active" }],
    });
    const beatAt = Date.parse(body.latest_heart_beat_at ?? "");
    expect(body.latest_heartbeat_timestamp).toBe(Math.floor(beatAt / 1000));
  });

  test("shows after a minute of silence that it is not connected any more", async () => {
    const { id, given } = await at.createRunner();
    await givenProcess(at.db, given);
    await advanceClock(at.db, "61 seconds");
    await at.db`select sweep_processes(100)`;
    const connection = async () =>
      (await at.call<RunnerConnection>(`GET /v1/runners/${id}/connected`)).body;
    // What the broker's own sweep holds at this moment is left to that.
    await expect.poll(connection).toMatchObject({ connected: false, live_processes: 0 });
    expect((await connection()).latest_heart_beat_at).not.toBeNull();
  });

  test("of another org is not there", async () => {
    const { id } = await at.createRunner();
    const token = await givenToken(at.db, { orgId: await givenOrg(at.db) });
    for (const what of ["connected", "card-details"]) {
      expect((await at.call(`GET /v1/runners/${id}/${what}`, { token })).status).toBe(404);
    }
  });
});

import { describe, expect, test } from "vitest";
import { startBroker } from "../../support/broker/broker.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenJob, givenProcess, givenRunner } from "../../support/rows/given.ts";

const { url, db } = await testDatabase();
const { call, broker } = await startBroker({ url });

async function setup(isOurs = true) {
  const runner = await givenRunner(db);
  const processId = await givenProcess(db, runner, { isOurs });
  const path = `/v1/runners/${runner.runnerId}`;
  const token = await givenToken(db, { orgId: runner.orgId, runnerId: runner.runnerId });
  const send = (body: unknown) => call(`POST ${path}/heart-beats`, { token, body });
  return { ...runner, processId, path, token, send };
}

describe("a beat", () => {
  test("of an existing client is answered with what it knows and nothing more", async () => {
    const { send, processId, runnerId } = await setup(false);
    const sent = { alive_time: 90e9, version: "1.4.0", process: "install", process_id: processId };
    const { status, body } = await send(sent);
    expect(status).toBe(201);
    expect(body).toMatchObject({ ...sent, runner_id: runnerId });
    expect(Object.keys(body).toSorted()).toEqual([
      "alive_time",
      "created_at",
      "id",
      "process",
      "process_id",
      "runner_id",
      "started_at",
      "version",
    ]);
    const age = Date.parse(String(body["created_at"])) - Date.parse(String(body["started_at"]));
    expect(age).toBe(90_000);
  });

  test("of an agent of ours is answered with its orders and the version of its settings", async () => {
    const { send, processId, groupId, orgId } = await setup();
    const sent = { process_id: processId, executions: [], settings_version: 1 };
    expect((await send(sent)).body).toMatchObject({ orders: [], settings_version: 1 });
    await db`update runner_group_settings set version = 7 where runner_group_id = ${groupId}`;
    await db`select * from request_shutdowns(${[processId]}, ${["shd_1"]}, 'graceful', interval '1 hour', ${orgId})`;
    const { body } = await send(sent);
    expect(body["orders"]).toEqual([
      {
        type: "drain",
        shutdown_id: "shd_1",
        deadline: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) as string,
      },
      { type: "settings", version: 7 },
    ]);
    expect((await send({ ...sent, settings_version: 7 })).body["orders"]).toHaveLength(1);
    expect((await send({ process_id: processId })).body["orders"]).toHaveLength(1);
  });

  test("may tell any age that an int64 holds", async () => {
    const { send, processId, path, orgId } = await setup(false);
    const year = 366 * 86_400e9;
    for (const alive_time of [0, year, 9.2e18]) {
      const { status, body } = await send({ process_id: processId, alive_time });
      expect(status).toBe(201);
      expect(body["alive_time"]).toBe(alive_time);
      const operator = await givenToken(db, { orgId });
      const latest = await call(`GET ${path}/heart-beats/latest`, { token: operator });
      expect(latest).toMatchObject({ status: 200, body: { install: { alive_time } } });
    }
    for (const alive_time of [-1, 1e20, "5s", [], 1.5]) {
      expect((await send({ process_id: processId, alive_time })).status).toBe(422);
    }
  });

  test("without a process id is of the latest live process of its type; 422 for a type that there is not", async () => {
    const { send, processId, ...runner } = await setup(false);
    expect((await send({ process: "install" })).body).toMatchObject({ process_id: processId });
    const later = await givenProcess(db, runner, { isOurs: false });
    expect((await send({ process: "install" })).body).toMatchObject({ process_id: later });
    await db`select process_goes_down(${later}, 'shut-down', '')`;
    expect((await send({ process: "install" })).body).toMatchObject({ process_id: processId });
    expect(await send({ process: "nonsense" })).toMatchObject({
      status: 422,
      body: { code: "invalid", errors: [{ pointer: "#/process", code: "process_unknown" }] },
    });
  });

  test("of a client that registers no process registers one for its runner and type, once", async () => {
    const runner = await givenRunner(db);
    const token = await givenToken(db, runner);
    const beat = (process: string, at = runner) =>
      call<{ process_id: string; code: string }>(`POST /v1/runners/${at.runnerId}/heart-beats`, {
        token,
        body: { process, version: "0.1", alive_time: 5 },
      });
    const first = await Promise.all(Array.from({ length: 12 }, () => beat("install")));
    expect(new Set(first.map(({ status }) => status))).toEqual(new Set([201]));
    const [processId, ...others] = new Set(first.map(({ body }) => body.process_id));
    expect(others).toEqual([]);
    expect((await beat("mng")).body.process_id).not.toBe(processId);
    const rows = await db`
      select id, type, status, is_ours, version from runner_processes where runner_id = ${runner.runnerId} order by type`;
    expect(rows).toMatchObject([
      { id: processId, type: "install", status: "active", is_ours: false, version: "0.1" },
      { type: "mng", status: "active" },
    ]);
    const jobId = await givenJob(db, runner);
    const claimed = await call(`POST /v1/runner-jobs/${jobId}/executions`, {
      token,
      body: "null\n",
    });
    expect(claimed.status).toBe(201);

    await db`update runner_processes set status = 'inactive', deadline_at = null where id = ${processId ?? ""}`;
    expect((await beat("install")).body.process_id).toBe(processId); // it was away, and is the same
    await db`select process_goes_down(${processId ?? ""}, 'shut-down', '')`;
    const anew = await Promise.all(Array.from({ length: 5 }, () => beat("install")));
    const [next, ...more] = new Set(anew.map(({ body }) => body.process_id));
    expect([next === processId, more]).toEqual([false, []]);

    const most = broker.config.limits.processes_of_runner;
    const crowded = await givenRunner(db, { orgId: runner.orgId });
    for (let at = 0; at < most; at += 1) await givenProcess(db, crowded, { isOurs: false });
    const crowdedToken = await givenToken(db, crowded);
    const refused = await call(`POST /v1/runners/${crowded.runnerId}/heart-beats`, {
      token: crowdedToken,
      body: { process: "mng" },
    });
    expect(refused).toMatchObject({ status: 429, body: { limit: "processes_of_runner" } });

    const stranger = await givenRunner(db, { orgId: runner.orgId });
    expect((await beat("install", stranger)).status).toBe(404);
    const theirs = await db`select from runner_processes where runner_id = ${stranger.runnerId}`;
    expect(theirs).toHaveLength(0);
  });

  test("of a process of another runner, or of none, is 404 and counts for nobody", async () => {
    const [mine, other] = [await setup(), await setup()];
    const before =
      await db`select * from runner_process_beats where process_id = ${other.processId}`;
    for (const process_id of [other.processId, "prc_none", "x"]) {
      const answer = await mine.send({ process_id, executions: [] });
      expect(answer).toMatchObject({ status: 404, body: { code: "process_not_found" } });
    }
    expect(
      await db`select * from runner_process_beats where process_id = ${other.processId}`,
    ).toEqual(before);
  });

  test("of a process that has shut down is 409, and tells an agent of ours to register anew", async () => {
    const [ours, third] = [await setup(), await setup(false)];
    for (const { processId } of [ours, third])
      await db`select process_goes_down(${processId}, 'shut-down', '')`;
    const refused = await ours.send({ process_id: ours.processId });
    expect(refused).toMatchObject({
      status: 409,
      body: { code: "process_shut_down", orders: [{ type: "re-register" }] },
    });
    const other = await third.send({ process_id: third.processId });
    expect(other.status).toBe(409);
    expect(other.body).not.toHaveProperty("orders");
  });

  test("with nonsense is refused with its place", async () => {
    const { send, processId } = await setup();
    for (const [body, pointer] of [
      [{ process_id: 5 }, "#/process_id"],
      [{ process_id: processId, executions: "exe_1" }, "#/executions"],
      [{ process_id: processId, executions: [1] }, "#/executions/0"],
      [{ process_id: processId, settings_version: 1.5 }, "#/settings_version"],
      [{ process_id: processId, version: "\0" }, "#/version"],
    ] as const) {
      const answer = await send(body);
      expect(answer.status).toBe(422);
      expect(answer.body).toMatchObject({ errors: [{ pointer }] });
    }
  });

  test("that comes with hundreds of others is answered like a lone one", async () => {
    const all = await Promise.all(Array.from({ length: 30 }, () => setup()));
    const rounds = Array.from({ length: 10 }, () => all).flat();
    const answers = await Promise.all(
      rounds.map(({ send, processId }) => send({ process_id: processId, executions: [] })),
    );
    for (const [at, { status, body }] of answers.entries()) {
      expect([status, body["process_id"]]).toEqual([201, rounds[at]?.processId]);
    }
  });
});

describe("the latest beats", () => {
  test("are shown for each type that ever beat", async () => {
    const { path, orgId, processId, ...runner } = await setup(false);
    const mng = await givenProcess(db, { ...runner, orgId }, { type: "mng", isOurs: false });
    const operator = await givenToken(db, { orgId });
    const read = async (at: string) => (await call(`GET ${path}${at}`, { token: operator })).body;
    const body = await read("/heart-beats/latest");
    expect(body).toMatchObject({ install: { process_id: processId }, mng: { process_id: mng } });
    expect(await read(`/processes/${mng}/heart-beats/latest`)).toEqual(body["mng"]);
    expect(Object.values(body)).toContainEqual(await read("/latest-heart-beat"));
    expect(await read("/processes/current")).toMatchObject([{ id: mng }, { id: processId }]);
    const foreign = await givenToken(db, { orgId: (await setup()).orgId });
    expect((await call(`GET ${path}/heart-beats/latest`, { token: foreign })).status).toBe(404);
  });
});

describe("health checks", () => {
  test("are stored with their minute and read back, the last of each minute and process", async () => {
    const { path, token, orgId, processId, runnerId } = await setup(false);
    const send = (body: object) => call(`POST ${path}/health-checks`, { token, body });
    const { status, body } = await send({ process: "install", process_id: processId });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      runner_id: runnerId,
      process: "install",
      process_id: processId,
      status: "active",
      status_code: 0,
      runner_job: null,
    });
    await advanceClock(db, "5 minutes");
    expect((await send({ process_id: processId, status_code: 2 })).body).toMatchObject({
      status: "error",
    });
    expect((await send({ status: "pending", status_code: 1 })).body).toMatchObject({
      process_id: "",
    });
    const operator = await givenToken(db, { orgId });
    const read = async (query: string) => {
      const answer = await call<{ status: string }[]>(`GET ${path}/recent-health-checks?${query}`, {
        token: operator,
      });
      expect(answer.status).toBe(200);
      return answer.body.map((check) => check.status);
    };
    expect((await read("")).toSorted()).toEqual(["active", "error", "pending"]);
    expect(await read(`process_id=${processId}`)).toEqual(["error", "active"]);
    expect(await read(`window=2m&process_id=${processId}`)).toEqual(["error"]);
    expect(await read(`limit=1&offset=1&process_id=${processId}`)).toEqual(["active"]);
  });

  test("of another runner's process, or with an unknown status, are refused", async () => {
    const [{ path, token }, other] = [await setup(), await setup()];
    const send = (body: object) => call(`POST ${path}/health-checks`, { token, body });
    expect((await send({ process_id: other.processId })).status).toBe(404);
    expect((await send({ status: "splendid" })).status).toBe(422);
    expect((await send({ status_code: 1e10 })).status).toBe(422);
  });
});

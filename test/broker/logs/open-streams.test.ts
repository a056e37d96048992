import { describe, expect, test } from "vitest";
import type { LogStream } from "../../../shared/api/log-streams.ts";
import type { RunnerJob } from "../../../shared/api/runner-job.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { advanceClock, stopClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenRunningLog } from "../../support/logs/given-running-log.ts";
import { postLogs, protobufLogs, storedBodies } from "../../support/logs/otlp-logs.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenRunner } from "../../support/rows/given.ts";

const database = await testDatabase();
const { db } = database;
const env = { SVC_RATE_TOKEN_PER_S: "0", SVC_RATE_ORG_PER_S: "0" };
const broker = await startBroker({ url: database.url, env });
const { url, call } = broker;
const setup = async () => await givenRunningLog(database, broker);

describe("the stream of a job", () => {
  test("is named by the job, and open while it runs", async () => {
    const { job, stream, streamId, jobId } = await setup();
    expect((await job()).log_stream_id).toBe(streamId);
    expect(await stream()).toMatchObject({
      owner_id: jobId,
      owner_type: "runner_jobs",
      open: true,
    });
  });

  test("stays open for a minute after an end without a last record", async () => {
    const { send, finish, stream, job } = await setup();
    await send(1);
    await finish();
    expect(await send(2)).toBe(201);
    expect((await job()).logs_complete).toBe(false);
    await advanceClock(db, "61 s");
    expect(await send(3)).toBe(409);
    expect((await stream()).open).toBe(false);
    expect((await job()).logs_complete).toBe(true);
  });

  test("closes with the last record that its finish told of", async () => {
    const { send, finish, stream, job } = await setup();
    await send(1, 2);
    await finish(3);
    expect(await job()).toMatchObject({ status: "finished", logs_complete: false });
    await advanceClock(db, "5 min");
    expect(await send(3)).toBe(201);
    expect((await job()).logs_complete).toBe(true);
    expect((await stream()).open).toBe(false);
    expect(await send(4)).toBe(409);
  });

  test("closes at once when the last record came before the finish", async () => {
    const { send, finish, stream, job } = await setup();
    await send(1, 2);
    await finish(2);
    expect((await job()).logs_complete).toBe(true);
    expect((await stream()).open).toBe(false);
  });

  test("waits ten minutes for a last record that does not come", async () => {
    await stopClock(db);
    const { send, finish, stream, job } = await setup();
    await send(1);
    await finish(9);
    await advanceClock(db, "599 s");
    expect(await send(2)).toBe(201);
    expect((await stream()).open).toBe(true);
    await advanceClock(db, "2 s");
    expect((await stream()).open).toBe(false);
    expect((await job()).logs_complete).toBe(true);
    expect(await send(3)).toBe(409);
  });

  test("takes what is missing before the last record, too", async () => {
    const { send, finish, stream, job, orgId, streamId } = await setup();
    await send(1, 3);
    await finish(3);
    expect((await job()).logs_complete).toBe(true);
    expect((await stream()).open).toBe(true);
    expect(await send(2)).toBe(201);
    expect((await stream()).open).toBe(false);
    expect(await storedBodies(db, orgId, streamId)).toEqual(["line 1", "line 2", "line 3"]);
  });

  test("takes a resend of what it has even when it is closed", async () => {
    const { send, finish, orgId, streamId } = await setup();
    await send(1, 2);
    await finish(2);
    expect(await send(1, 2)).toBe(201);
    const other = await startBroker({ url: database.url, env }); // which has not seen the stream
    const body = protobufLogs([{ body: "line 2", seq: 2 }]);
    const token = await givenToken(db, { orgId, role: "telemetry_collector" });
    expect((await postLogs({ url: other.url, streamId, token, body })).status).toBe(409);
    expect(await send(2)).toBe(201);
    expect(await storedBodies(db, orgId, streamId)).toEqual(["line 1", "line 2"]);
  });

  test("stays open while the execution may still run over there", async () => {
    const { jobId, orgId, send, stream } = await setup();
    await db`update runner_job_executions set status = 'in-progress' where runner_job_id = ${jobId}`;
    await db`select count(*) from end_jobs(${orgId}, ${[jobId]}, 'cancel', 'enough')`;
    await db`update stopping_executions set deadline_at = 'infinity' where runner_job_id = ${jobId}`;
    await advanceClock(db, "70 s");
    expect(await send(1)).toBe(201);
    await db`delete from stopping_executions where runner_job_id = ${jobId}`;
    expect((await stream()).open).toBe(false);
  });
});

describe("the stream of a process", () => {
  test("closes a minute after the process has gone", async () => {
    const { runnerId, processId, token, orgId } = await setup();
    const process = await call<{ log_stream_id: string }>(
      `GET /v1/runners/${runnerId}/processes/${processId}`,
      { token },
    );
    const streamId = process.body.log_stream_id;
    const send = async (text: string) =>
      (await postLogs({ url, streamId, token, body: protobufLogs([{ body: text }]) })).status;
    expect(await send("running")).toBe(201);
    await db`select move_processes(${[processId]}, 'shut-down', 'gone', svc_now())`;
    expect(await send("gone")).toBe(201);
    await advanceClock(db, "61 s");
    expect(await send("late")).toBe(409);
    expect(await storedBodies(db, orgId, streamId)).toEqual(["running", "gone"]);
  });
});

describe("the stream of an operation", () => {
  const wanted = { owner_id: "dep_1", owner_type: "deploys", attrs: { component: "api" } };
  const create = async (token: string, more: object = {}) =>
    await call<LogStream>("POST /v1/log-streams", { token, body: { ...wanted, ...more } });

  test("is made and closed by hand, and closing it again changes nothing", async () => {
    const { admin, token, runnerId } = await setup();
    const made = await create(admin, { runner_id: runnerId });
    expect(made).toMatchObject({ status: 201, body: { ...wanted, open: true, parent_id: null } });
    const streamId = made.body.id;
    const body = protobufLogs([{ body: "planning" }]);
    expect((await postLogs({ url, streamId, token, body })).status).toBe(201);
    for (let times = 0; times < 2; times += 1) {
      const closed = await call(`POST /v1/log-streams/${streamId}/close`, { token: admin });
      expect(closed).toMatchObject({ status: 200, body: { open: false } });
    }
    const late = await postLogs({ url, streamId, token, body });
    expect(late.status).toBe(409);
    expect(JSON.parse(late.text)).toMatchObject({ code: "log_stream_closed" });
  });

  test("closes with the runner that it was made for", async () => {
    const { orgId, admin } = await setup();
    const { runnerId } = await givenRunner(db, { orgId });
    const made = await create(admin, { runner_id: runnerId });
    const other = await create(admin);
    expect((await call(`DELETE /v1/runners/${runnerId}`, { token: admin })).status).toBe(204);
    const isOpen = async ({ body: { id } }: typeof made) =>
      (await call<LogStream>(`GET /v1/log-streams/${id}`, { token: admin })).body.open;
    expect([await isOpen(made), await isOpen(other)]).toEqual([false, true]);
  });

  test("is the parent of the streams of its jobs", async () => {
    const { admin, runnerId } = await setup();
    const { body: parent } = await create(admin, { owner_id: "dep_of_this_test" });
    const job = { owner_id: "dep_of_this_test", owner_type: "deploys" };
    const enqueued = await call<RunnerJob>(`POST /v1/runners/${runnerId}/jobs`, {
      token: admin,
      body: { type: "noop-deploy", operation: "exec", ...job },
    });
    const path = `/v1/log-streams/${enqueued.body.log_stream_id}`;
    const { body } = await call(`GET ${path}`, { token: admin });
    expect(body).toMatchObject({ parent_id: parent.id });
  });

  test("is refused for a runner of nobody, for a job, and by who may not", async () => {
    const { admin, token } = await setup();
    const stranger = await givenRunner(db);
    expect((await create(admin, { runner_id: stranger.runnerId })).status).toBe(404);
    expect((await create(admin, { owner_type: "runner_jobs" })).status).toBe(422);
    expect((await create(token)).status).toBe(403);
  });

  test("alone is closed by hand", async () => {
    const { admin, streamId } = await setup();
    const closed = await call(`POST /v1/log-streams/${streamId}/close`, { token: admin });
    expect(closed).toMatchObject({ status: 409, body: { code: "log_stream_has_owner" } });
  });
});

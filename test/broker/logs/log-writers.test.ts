import { describe, expect, test } from "vitest";
import type { RunnerJob } from "../../../shared/api/runner-job.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenRunningLog } from "../../support/logs/given-running-log.ts";
import { postLogs, protobufLogs, storedBodies } from "../../support/logs/otlp-logs.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenProcess, givenRunner } from "../../support/rows/given.ts";

const database = await testDatabase();
const { db } = database;
const env = { SVC_RATE_TOKEN_PER_S: "0", SVC_RATE_ORG_PER_S: "0" };
const broker = await startBroker({ url: database.url, env });
const { url, call } = broker;
const setup = async () => await givenRunningLog(database, broker);

describe("who may write", () => {
  test("is the stream's runner, the job's own execution, and a collector of the org", async () => {
    const { orgId, streamId, token, admin, runnerId } = await setup();
    const body = protobufLogs([{ body: "hello" }]);
    const status = async (sender: string) =>
      (await postLogs({ url, streamId, token: sender, body })).status;
    const other = await setup();
    const colleague = await givenToken(db, await givenRunner(db, { orgId }));
    expect(await status(token)).toBe(201);
    expect(await status(await givenToken(db, { orgId, role: "telemetry_collector" }))).toBe(201);
    expect(await status(other.token)).toBe(404);
    expect(await status(colleague)).toBe(404);
    expect(await status(admin)).toBe(403);
    expect(runnerId).not.toBe(other.runnerId);
    expect(await storedBodies(db, orgId, streamId)).toEqual(["hello", "hello"]);
  });

  test("with a job's token reaches the stream of that job alone", async () => {
    const runner = await givenRunner(db, { parallelism: { deploy: 2 } });
    const processId = await givenProcess(db, runner, { serves: { deploy: 2 } });
    const token = await givenToken(db, runner);
    const admin = await givenToken(db, { orgId: runner.orgId });
    for (let n = 0; n < 2; n += 1) {
      const body = { type: "noop-deploy", operation: "exec" };
      await call(`POST /v1/runners/${runner.runnerId}/jobs`, { token: admin, body });
    }
    const claimed = await call<{
      jobs: { job: RunnerJob; execution: { id: string }; token: string }[];
    }>(`POST /v1/runners/${runner.runnerId}/jobs/claim`, {
      token,
      body: { process_id: processId, poll_id: "p1", groups: { deploy: 2 }, wait: "1s" },
    });
    const [first, second] = claimed.body.jobs;
    const body = protobufLogs([{ body: "mine", seq: 1 }]);
    const post = async (streamId: string | null | undefined) =>
      await postLogs({ url, streamId: String(streamId), token: String(first?.token), body });
    expect((await post(first?.job.log_stream_id)).status).toBe(201);
    expect((await post(first?.job.log_stream_id)).status).toBe(201); // numbered, of its execution
    expect((await post(second?.job.log_stream_id)).status).toBe(404);
    expect((await post(`lgs_${processId.slice(4)}`)).status).toBe(404);
    const own = String(first?.job.log_stream_id);
    expect(await storedBodies(db, runner.orgId, own)).toEqual(["mine"]);
  });
});

import { describe, expect, test } from "vitest";
import { startBroker } from "../../support/broker/broker.ts";
import { givenLeaving } from "../../support/broker/given-leaving.ts";
import { testDatabase } from "../../support/database/database.ts";
import { beat, claim, givenJob } from "../../support/rows/given.ts";

const { url, db } = await testDatabase();
const { call } = await startBroker({ url });

const { setup, givenRunning, endOf, seen } = givenLeaving(db, { call });

describe("a process on its way out", () => {
  test("says so step by step, takes nothing new, and is never left once it has shut down", async () => {
    const given = await setup();
    const { jobId } = await givenRunning(given);
    await call(`POST ${given.path}/shutdown`, { token: given.operator });
    const say = (status: string) =>
      call(`PATCH ${given.path}`, {
        token: given.token,
        body: { status, status_description: "bye" },
      });
    for (const status of ["pending-shutdown", "shutting-down"]) {
      expect((await say(status)).body["composite_status"]).toMatchObject({
        status,
        status_human_description: "bye",
      });
      expect(await seen(given.path)).toMatchObject([{ status: "in-progress" }]);
    }
    expect(await endOf(jobId)).toBeUndefined();
    expect((await say("shut-down")).status).toBe(200);
    expect(await endOf(jobId)).toEqual({ status: "failed", why: "process lost: it shut down" });
    expect(await seen(given.path)).toMatchObject([{ status: "completed" }]);
    expect((await say("shut-down")).status).toBe(200);
    expect(await say("pending-shutdown")).toMatchObject({
      status: 409,
      body: { code: "process_shut_down" },
    });
    for (const status of ["active", "pending", "inactive", "", "unknown"]) {
      expect((await say(status)).status).toBe(422);
    }
    await beat(db, [given.processId]);
    const { body } = await call(`GET ${given.path}`, { token: given.token });
    expect(body["composite_status"]).toMatchObject({
      status: "shut-down",
      history: [
        { status: "pending" },
        { status: "active" },
        { status: "pending-shutdown" },
        { status: "shutting-down" },
      ],
    });
  });

  test("whose execution may be tried again gives it back to the queue at once", async () => {
    const given = await setup();
    const { jobId } = await givenRunning(given, 2);
    const gone = { token: given.token, body: { status: "shut-down" } };
    await call(`PATCH ${given.path}`, gone);
    const [live] = await db`select status, blocked_by from runner_job_live where id = ${jobId}`;
    expect(live).toEqual({ status: "queued", blocked_by: null });
  });

  test("whose host goes away is given nothing new, and goes on with what it runs", async () => {
    const given = await setup();
    const { jobId } = await givenRunning(given);
    const { status, body } = await call(`POST ${given.path}/terminating`, { token: given.token });
    expect([status, body]).toEqual([202, ""]);
    await givenJob(db, given);
    expect(await claim(db, given, { processId: given.processId })).toEqual([]);
    expect(await endOf(jobId)).toBeUndefined();
    const read = await call(`GET ${given.path}`, { token: given.token });
    expect(read.body["warnings"]).toEqual(["its host is shutting down"]);
    expect((await call(`POST ${given.path}/terminating`, { token: given.token })).status).toBe(202);
  });
});

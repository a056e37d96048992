import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { executionSteps } from "../../../shared/runner-job-execution.ts";
import { type TestBroker, startBroker } from "../../support/broker/broker.ts";
import { type ClaimedJob, httpAgent } from "../../support/broker/http-agent.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { expectSoundQueues } from "../../support/database/expect-sound-queues.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { type GivenRunner, givenJob, givenProcess, givenRunner } from "../../support/rows/given.ts";
import { jobState } from "../../support/rows/job-state.ts";

const { db, url } = await testDatabase();
let broker: TestBroker;
beforeAll(async () => {
  broker = await startBroker({ url });
});
afterEach(async () => {
  await expectSoundQueues(db);
});

type Body = { status: string; code?: string; job_status?: string };

/** An execution of ours, and every call that its process can make about it. */
async function setup(runner?: GivenRunner) {
  const mine = runner ?? (await givenRunner(db));
  const processId = await givenProcess(db, mine);
  const token = await givenToken(db, mine);
  const admin = await givenToken(db, { orgId: mine.orgId });
  const jobId = await givenJob(db, mine, { executionTimeout: 3_600e9 });
  const agent = httpAgent(broker.call, { ...mine, processId, token });
  const [claimed] = (await agent.claim({ wait: "5s" })).body.jobs as [ClaimedJob];
  const path = `/v1/runner-jobs/${jobId}/executions/${claimed.execution.id}`;
  const say = (status: string, as = token) =>
    broker.call<Body>(`PATCH ${path}`, { token: as, body: { status } });
  const post = (what: string, body: object, as = token) =>
    broker.call<Body>(`POST ${path}/${what}`, { token: as, body });
  const execution = () => broker.call(`GET ${path}`, { token: admin });
  const result = () => broker.call(`GET ${path}/result`, { token: admin });
  const cancel = () => broker.call(`POST /v1/runner-jobs/${jobId}/cancel`, { token: admin });
  return { runner: mine, token, admin, jobId, claimed, path, say, post, execution, result, cancel };
}

describe("the status of an execution", () => {
  test("goes forward step by step", async () => {
    const { say } = await setup();
    for (const status of executionSteps) {
      expect(await say(status)).toMatchObject({ status: 200, body: { status } });
    }
  });

  test("never goes back", async () => {
    const { say, execution } = await setup();
    await say("in-progress");
    expect(await say("initializing")).toMatchObject({
      status: 409,
      body: { code: "execution_goes_back" },
    });
    expect((await execution()).body["status"]).toBe("in-progress");
  });

  test.each([...executionSteps, "failed", "timed-out", "not-attempted", "cancelled"])(
    "may be said twice: %s again is 200 and changes nothing",
    async (status) => {
      const { say, jobId } = await setup();
      expect((await say(status)).status).toBe(200);
      const before = await jobState(db, jobId);
      expect((await say(status)).status).toBe(200);
      expect(await jobState(db, jobId)).toEqual(before);
    },
  );

  test.each([
    ["failed", "failed"],
    ["timed-out", "timed-out"],
    ["not-attempted", "not-attempted"],
    ["cancelled", "cancelled"],
  ])("%s ends the job as %s", async (status, end) => {
    const { say, jobId } = await setup();
    await say("in-progress");
    expect((await say(status)).status).toBe(200);
    expect(await jobState(db, jobId)).toMatchObject({ status: end, executions: [status] });
  });

  test("of ours is not finished without a result", async () => {
    const { say, post, jobId } = await setup();
    expect(await say("finished")).toMatchObject({ status: 409, body: { code: "result_missing" } });
    expect((await jobState(db, jobId)).status).toBe("in-progress");
    expect((await post("result", { success: true })).status).toBe(201);
    expect((await say("finished")).status).toBe(200);
    expect((await jobState(db, jobId)).status).toBe("finished");
  });

  test("of a third-party runner is finished without one", async () => {
    const { say, claimed } = await setup();
    await db`update runner_job_executions set is_ours = false where id = ${claimed.execution.id}`;
    expect((await say("finished")).status).toBe(200);
  });

  test("decides the job; a result is data", async () => {
    const { post, say, jobId } = await setup();
    await post("result", { success: false });
    expect((await say("finished")).status).toBe(200);
    expect((await jobState(db, jobId)).status).toBe("finished");
  });
});

describe("after its own end", () => {
  test("another end is 409 and kept; a step is 200 and changes nothing", async () => {
    const { say, jobId, execution } = await setup();
    await say("failed");
    expect(await say("cancelled")).toMatchObject({
      status: 409,
      body: { code: "execution_is_final" },
    });
    expect(await say("in-progress")).toMatchObject({ status: 200, body: { status: "failed" } });
    expect((await jobState(db, jobId)).status).toBe("failed");
    expect((await execution()).body).toMatchObject({ evidence: [{ kind: "status" }] });
  });

  test("its first result and outputs are still taken", async () => {
    const { say, post, execution } = await setup();
    await say("failed");
    expect((await post("result", { success: false, error_code: 7 })).status).toBe(201);
    expect((await post("outputs", { outputs: { a: 1 } })).status).toBe(201);
    expect((await execution()).body).toMatchObject({ result: { error_code: 7 } });
  });
});

describe("the first result", () => {
  test("counts; a different later one is 201 and kept as evidence, the same again is not", async () => {
    const { post, execution, result } = await setup();
    expect((await post("result", { success: true, contents: "one" })).status).toBe(201);
    expect((await post("result", { success: true, contents: "one" })).status).toBe(201);
    expect((await post("result", { success: false, contents: "two" })).status).toBe(201);
    expect((await result()).body).toMatchObject({ success: true, contents: "one" });
    const { body } = await execution();
    expect(body["evidence"]).toMatchObject([{ kind: "result", body: { contents: "two" } }]);
  });

  test("of several that arrive at once is one, and none is lost", async () => {
    const { post, execution, result } = await setup();
    const said = ["0", "1", "2", "3", "4", "5"];
    await Promise.all(said.map(async (contents) => post("result", { success: true, contents })));
    const evidence = (await execution()).body["evidence"] as { body: { contents: string } }[];
    const kept = evidence.map(({ body }) => body.contents);
    expect(new Set([...kept, (await result()).body["contents"]])).toEqual(new Set(said));
    expect(kept).toHaveLength(said.length - 1);
  });
});

describe("after the broker ended it", () => {
  test.each(["in-progress", "finished", "failed"])(
    "%s is 409, kept where it is an end",
    async (status) => {
      const { say, cancel, jobId, execution } = await setup();
      await say("initializing");
      await cancel();
      expect(await say(status)).toMatchObject({ status: 409, body: { code: "execution_ended" } });
      expect((await jobState(db, jobId)).status).toBe("cancelled");
      const kept = status === "in-progress" ? [] : [{ kind: "status", body: { status } }];
      expect((await execution()).body["evidence"]).toMatchObject(kept);
    },
  );

  test("its own word for the same end is 200", async () => {
    const { say, cancel } = await setup();
    await say("initializing");
    await cancel();
    expect((await say("cancelled")).status).toBe(200);
  });

  test("its result is kept", async () => {
    const { say, post, cancel, result } = await setup();
    await say("initializing");
    await cancel();
    expect((await post("result", { success: true, contents: "late" })).status).toBe(201);
    expect((await result()).body["contents"]).toBe("late");
  });
});

describe("a report", () => {
  test("under another job's id is 404 and changes nothing", async () => {
    const { claimed, token, jobId, runner } = await setup();
    const other = await givenJob(db, runner);
    const path = `/v1/runner-jobs/${other}/executions/${claimed.execution.id}`;
    const answer = await broker.call(`PATCH ${path}`, { token, body: { status: "failed" } });
    expect(answer.status).toBe(404);
    expect((await jobState(db, jobId)).executions).toEqual(["pending"]);
  });

  test("of another runner's token is 404 and changes nothing", async () => {
    const { say, runner, jobId } = await setup();
    const other = await givenRunner(db, { orgId: runner.orgId });
    expect((await say("failed", await givenToken(db, other))).status).toBe(404);
    expect((await say("failed", await givenToken(db, await givenRunner(db)))).status).toBe(404);
    expect((await jobState(db, jobId)).executions).toEqual(["pending"]);
  });

  test("of many, the same execution twice among them, is taken in their order", async () => {
    const one = await setup();
    const two = await setup(await givenRunner(db, { orgId: one.runner.orgId }));
    const execution = one.claimed.execution.id;
    const result = { success: true };
    const answer = await broker.call<{ reports: { status: number }[] }>(
      `POST /v1/runners/${one.runner.runnerId}/reports`,
      {
        token: one.token,
        body: {
          reports: [
            { execution, status: "initializing" },
            { execution: two.claimed.execution.id, status: "failed" },
            { execution, status: "in-progress" },
            { execution, status: "finished", result },
            { execution, status: "failed" },
          ],
        },
      },
    );
    expect(answer.status).toBe(200);
    expect(answer.body.reports.map(({ status }) => status)).toEqual([200, 404, 200, 200, 409]);
    expect((await jobState(db, one.jobId)).status).toBe("finished");
    expect((await jobState(db, two.jobId)).executions).toEqual(["pending"]);
  });
});

describe("a job's token", () => {
  test("reaches its own execution and no other", async () => {
    const one = await setup();
    const two = await setup(await givenRunner(db, { orgId: one.runner.orgId }));
    expect((await one.say("initializing", one.claimed.token)).status).toBe(200);
    expect((await two.say("initializing", one.claimed.token)).status).toBe(404);
    const answer = await broker.call(`POST /v1/runners/${one.runner.runnerId}/jobs/claim`, {
      token: one.claimed.token,
      body: { process_id: "x" },
    });
    expect(answer.status).toBe(403);
  });

  test("lives ten minutes longer than its execution", async () => {
    const { say, post, claimed } = await setup();
    await say("failed");
    await advanceClock(db, "9 min");
    broker.broker.authenticator.forgetAll();
    expect((await post("outputs", { outputs: {} }, claimed.token)).status).toBe(201);
    await advanceClock(db, "62 s");
    broker.broker.authenticator.forgetAll();
    expect((await post("outputs", { outputs: {} }, claimed.token)).status).toBe(401);
  });
});

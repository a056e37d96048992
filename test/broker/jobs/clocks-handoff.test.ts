import { describe, expect, test } from "vitest";
import { claimByName } from "../../support/broker/claim-by-name.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { stoppedDatabase } from "../../support/database/stopped-database.ts";
import { passTime } from "../../support/database/sweep-all.ts";
import {
  beat,
  claim,
  givenExecution,
  givenJob,
  givenJobs,
  givenProcess,
  givenRunner,
  report,
} from "../../support/rows/given.ts";
import { jobState, jobsOnOffer } from "../../support/rows/job-state.ts";

const { db } = await stoppedDatabase();

describe("a job handed to a process of ours", () => {
  async function setup() {
    const runner = await givenRunner(db);
    const processId = await givenProcess(db, runner);
    const held = await givenExecution(db, runner, { processId });
    return { runner, processId, ...held };
  }

  test("comes back after 30 s without a word of it, and no attempt is counted", async () => {
    const { processId, jobId } = await setup();
    await passTime(db, "29 s", [processId]);
    expect((await jobState(db, jobId)).status).toBe("in-progress");
    await passTime(db, "2 s", [processId]);
    expect(await jobState(db, jobId)).toMatchObject({
      status: "available",
      execution_count: 0,
      executions: ["not-attempted"],
      events: ["enqueue", "release", "claim", "return", "release"],
    });
  });

  test("comes back however often, even at its last attempt", async () => {
    const { runner, processId, jobId } = await setup();
    for (let round = 0; round < 3; round += 1) {
      await passTime(db, "31 s", [processId]);
      expect(await claim(db, runner, { processId })).toMatchObject([{ jobId }]);
    }
    expect(await jobState(db, jobId)).toMatchObject({ status: "in-progress", execution_count: 1 });
  });

  test("keeps its place when it comes back", async () => {
    const { runner, processId, jobId } = await setup();
    await givenJobs(db, runner, [{}, {}]);
    await passTime(db, "31 s", [processId]);
    expect(await jobsOnOffer(db, runner.runnerId)).toEqual([jobId]);
  });

  test("is received once it is reported", async () => {
    const { runner, processId, jobId, executionId } = await setup();
    await report(db, runner, { executionId, status: "pending" });
    await passTime(db, "31 s", [processId]);
    expect((await jobState(db, jobId)).status).toBe("in-progress");
  });

  test("is received once a beat names it", async () => {
    const { processId, ...held } = await setup();
    await beat(db, [processId], [held]);
    await passTime(db, "31 s", [processId]);
    expect((await jobState(db, held.jobId)).status).toBe("in-progress");
  });

  test("is not received by beats that do not name it", async () => {
    const { processId, jobId } = await setup();
    await advanceClock(db, "20 s");
    await beat(db, [processId], []);
    await passTime(db, "11 s", [processId]);
    expect((await jobState(db, jobId)).events).toContain("return");
  });

  test("is refused to a process that first speaks of it after it went back", async () => {
    const { runner, processId, jobId, executionId } = await setup();
    await passTime(db, "31 s", [processId]);
    expect(await report(db, runner, { executionId, status: "initializing" })).toBe("ended");
    expect((await jobState(db, jobId)).status).toBe("available");
  });
});

describe("a job taken by a third-party runner", () => {
  async function setup() {
    const runner = await givenRunner(db, { groups: ["deploys"] });
    const processId = await givenProcess(db, runner, { isOurs: false, serves: null });
    const held = await claimByName(
      db,
      runner,
      await givenJob(db, runner, { executionTimeout: 3_600e9 }),
      [processId],
    );
    return { runner, processId, ...held };
  }

  test("stays where it is while no beats arrive", async () => {
    const { jobId } = await setup();
    await passTime(db, "45 s");
    await passTime(db, "10 s");
    expect((await jobState(db, jobId)).status).toBe("in-progress");
  });

  test("comes back after 30 s of silence about it and two beats", async () => {
    const { processId, jobId } = await setup();
    await passTime(db, "31 s", [processId]);
    expect((await jobState(db, jobId)).status).toBe("in-progress");
    await passTime(db, "6 s", [processId]);
    expect((await jobState(db, jobId)).events).toEqual([
      "enqueue",
      "release",
      "claim",
      "return",
      "release",
    ]);
  });

  test("is not judged by the beats of a process that drains: it is finishing what it has", async () => {
    const { processId, jobId } = await setup();
    await db`update runner_processes set draining = 'graceful' where id = ${processId}`;
    await passTime(db, "31 s", [processId]);
    await passTime(db, "6 s", [processId]);
    expect((await jobState(db, jobId)).status).toBe("in-progress");
  });

  test("two beats within the 30 s do not bring it back before they are over", async () => {
    const { processId, jobId } = await setup();
    await passTime(db, "10 s", [processId]);
    await passTime(db, "10 s", [processId]);
    await passTime(db, "9 s", [processId]);
    expect((await jobState(db, jobId)).status).toBe("in-progress");
    await passTime(db, "2 s");
    expect((await jobState(db, jobId)).status).toBe("available");
  });

  test("is lost with its process where nothing else is heard", async () => {
    const { jobId } = await setup();
    await passTime(db, "299 s");
    expect((await jobState(db, jobId)).status).toBe("in-progress");
    await passTime(db, "2 s");
    expect(await jobState(db, jobId)).toMatchObject({
      status: "failed",
      description: "process lost",
    });
  });

  test("belongs to all processes that lived at the claim, and is lost with the last of them", async () => {
    const runner = await givenRunner(db, { groups: ["deploys"] });
    const first = await givenProcess(db, runner, { isOurs: false, serves: null });
    const second = await givenProcess(db, runner, { isOurs: false, serves: null });
    const jobId = await givenJob(db, runner, { executionTimeout: 3_600e9 });
    const { executionId } = await claimByName(db, runner, jobId, [first, second]);
    await report(db, runner, { executionId, status: "in-progress" });
    await db`select process_goes_down(${first}, 'shut-down', '')`;
    expect((await jobState(db, jobId)).status).toBe("in-progress");
    await db`select process_goes_down(${second}, 'shut-down', '')`;
    expect(await jobState(db, jobId)).toMatchObject({ status: "failed", executions: ["failed"] });
  });
});

describe("a job given back", () => {
  test("is on offer again at once, uncounted and in its old place", async () => {
    const runner = await givenRunner(db);
    const processId = await givenProcess(db, runner);
    const { jobId, executionId } = await givenExecution(db, runner, { processId });
    await givenJob(db, runner);
    expect(await report(db, runner, { executionId, giveBack: true })).toBe("ok");
    expect(await jobsOnOffer(db, runner.runnerId)).toEqual([jobId]);
    expect(await jobState(db, jobId)).toMatchObject({
      execution_count: 0,
      executions: ["not-attempted"],
    });
  });

  test("is not worked on by who gave it back: a later first report is refused", async () => {
    const runner = await givenRunner(db);
    const processId = await givenProcess(db, runner);
    const { executionId } = await givenExecution(db, runner, { processId });
    await report(db, runner, { executionId, giveBack: true });
    expect(await report(db, runner, { executionId, status: "initializing" })).toBe("ended");
  });

  test("cannot be given back once work began", async () => {
    const runner = await givenRunner(db);
    const processId = await givenProcess(db, runner);
    const { jobId, executionId } = await givenExecution(db, runner, { processId });
    await report(db, runner, { executionId, status: "in-progress" });
    expect(await report(db, runner, { executionId, giveBack: true })).toBe("too-late-to-give-back");
    expect((await jobState(db, jobId)).status).toBe("in-progress");
  });
});

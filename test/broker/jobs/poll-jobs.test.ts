import { describe, expect, test } from "vitest";
import type { RunnerJob } from "../../../shared/api/runner-job.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenRunnerTokens } from "../../support/rows/given-runner-tokens.ts";
import { claim, givenJob, givenJobs, givenProcess } from "../../support/rows/given.ts";

const { db, url } = await testDatabase();
const { call } = await startBroker({ url });

const setup = async (given?: Parameters<typeof givenRunnerTokens>[1]) =>
  await givenRunnerTokens(db, given);

describe("the array that runners poll", () => {
  test("has what can be claimed, oldest first, and nothing else", async () => {
    const runner = await setup({ parallelism: { deploy: 2 } });
    await givenProcess(db, runner, { serves: { deploy: 2, sync: 1 }, isOurs: false });
    const [first, second, third] = await givenJobs(db, runner, [{}, {}, {}]);
    const sync = await givenJob(db, runner, { type: "noop-sync" });
    const list = async (query: string) => {
      const answer = await call<RunnerJob[]>(`GET /v1/runners/${runner.runnerId}/jobs${query}`, {
        token: runner.token,
      });
      expect(answer.status).toBe(200);
      return answer.body.map((job) => `${job.id} ${job.status}`);
    };
    expect(await list("")).toEqual([
      `${first} available`,
      `${second} available`,
      `${sync} available`,
    ]);
    expect(await list("?group=any&limit=2")).toHaveLength(2);
    expect(await list("?group=deploy&offset=1")).toEqual([`${second} available`]);
    expect(await list("?group=&status=available&from_the_future=1")).toHaveLength(3);
    expect(await list("?status=queued")).toEqual([`${third} queued`]);
    expect(await list("?limit=5000&status=in-progress")).toEqual([]);
  });

  test("does not show a job whose queue timeout passed while no slot is free", async () => {
    const runner = await setup();
    await givenProcess(db, runner, { isOurs: false });
    const [first, late] = await givenJobs(db, runner, [
      { availableTimeout: 3600e9 },
      { queueTimeout: 1e9 },
    ]);
    await advanceClock(db, "2 seconds");
    await db`select sweep_jobs(100)`;
    const read = await call<RunnerJob>(`GET /v1/runner-jobs/${late}`, { token: runner.admin });
    expect(read.body.status).toBe("available");
    const list = await call<RunnerJob[]>(`GET /v1/runners/${runner.runnerId}/jobs`, {
      token: runner.token,
    });
    expect(list.body.map(({ id }) => id)).toEqual([first]);
  });

  test("brings back what was withdrawn when its runner asks, not when a person does", async () => {
    const runner = await setup();
    await givenProcess(db, runner, { isOurs: false });
    const jobId = await givenJob(db, runner, { availableTimeout: 20e9 });
    await advanceClock(db, "21 seconds");
    await db`select sweep_jobs(100)`;
    const path = `GET /v1/runners/${runner.runnerId}/jobs`;
    expect((await call(path, { token: runner.admin })).body).toEqual([]);
    expect((await call(path, { token: runner.token })).body).toMatchObject([
      { id: jobId, status: "available" },
    ]);
  });

  test("is 404 for a runner of another org", async () => {
    const [one, two] = [await setup(), await setup()];
    for (const query of ["", "?cursor="]) {
      const what = `GET /v1/runners/${two.runnerId}/jobs${query}`;
      expect(await call(what, { token: one.admin })).toMatchObject({ status: 404 });
      expect(await call(what, { token: one.token })).toMatchObject({ status: 404 });
    }
  });
});

describe("a third-party execution", () => {
  test.each(["", "/plan", "/executions"])(
    "is confirmed by a runner's GET of its job%s",
    async (tail) => {
      const runner = await setup();
      const processId = await givenProcess(db, runner, { isOurs: false });
      await givenJob(db, runner);
      const [{ jobId, executionId } = { jobId: "", executionId: "" }] = await claim(db, runner, {
        processId,
      });
      await db`update runner_job_executions set is_ours = false where id = ${executionId}`;
      const confirmed = async () => {
        const [row] = await db<{ confirmed_at: Date | null }[]>`
        select confirmed_at from runner_job_executions where id = ${executionId}`;
        return row?.confirmed_at ?? null;
      };
      await call(`GET /v1/runner-jobs/${jobId}${tail}`, { token: runner.admin });
      expect(await confirmed()).toBeNull();
      await call(`GET /v1/runner-jobs/${jobId}${tail}`, { token: runner.token });
      await expect.poll(confirmed).not.toBeNull();
    },
  );
});

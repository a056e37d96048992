import { describe, expect, test } from "vitest";
import type { RunnerJob } from "../../../shared/api/runner-job.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenRunnerTokens, type RunnerTokens } from "../../support/rows/given-runner-tokens.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { claim, givenJobs, givenProcess, givenRunner, report } from "../../support/rows/given.ts";
import { queueOf } from "../../support/rows/job-state.ts";

const { db, url } = await testDatabase();
const { broker, call } = await startBroker({ url });

const setup = async (given?: Parameters<typeof givenRunnerTokens>[1]) =>
  await givenRunnerTokens(db, given);

type Cancelled = { cancelled: number; told_to_stop: number; has_more: boolean };
const cancel = async ({ admin }: Pick<RunnerTokens, "admin">, body: object) =>
  await call<Cancelled>("POST /v1/runner-jobs/cancel", { token: admin, body });

/** How many of the org's jobs are in each status. */
async function statusesOf({ admin }: RunnerTokens): Promise<Record<string, number>> {
  const { body } = await call<{ items: RunnerJob[] }>("GET /v1/runner-jobs?limit=100", {
    token: admin,
  });
  const grouped = Map.groupBy(body.items, ({ status }) => status);
  return Object.fromEntries([...grouped].map(([status, jobs]) => [status, jobs.length]));
}

/** The same runner's jobs, so many ended as failed. */
async function givenFailed(runner: RunnerTokens, count: number): Promise<string[]> {
  const processId = await givenProcess(db, runner);
  const ids: string[] = [];
  for (let at = 0; at < count; at++) {
    const [jobId = ""] = await givenJobs(db, runner, [{ plan: `{"at": ${at}}` }]);
    const [held] = await claim(db, runner, { processId });
    await report(db, runner, {
      executionId: held?.executionId ?? "",
      status: "failed",
      result: { success: false },
    });
    ids.push(jobId);
  }
  return ids;
}

describe("a count of jobs", () => {
  test("has the filters of the list", async () => {
    const runner = await setup();
    await givenJobs(db, runner, [{ ownerId: "a" }, { ownerId: "a" }, { ownerId: "b" }]);
    const count = async (query: string) =>
      (await call(`GET /v1/runner-jobs/count?${query}`, { token: runner.admin })).body;
    expect(await count("")).toMatchObject({ count: 3, has_more: false });
    expect(await count("owner_id=a")).toMatchObject({ count: 2, has_more: false });
    expect(await count(`runner_id=${runner.runnerId}&status=queued`)).toMatchObject({ count: 3 });
    expect(await count("status=finished")).toMatchObject({ count: 0 });
    const stranger = await givenRunner(db);
    expect(await count(`runner_id=${stranger.runnerId}`)).toMatchObject({ count: 0 });
  });

  test("says when it was taken, which leaves out what is enqueued later", async () => {
    const runner = await setup();
    await givenJobs(db, runner, [{ ownerId: "a" }, { ownerId: "a" }]);
    const count = async (query: string) =>
      (await call(`GET /v1/runner-jobs/count?${query}`, { token: runner.admin })).body;
    const { counted_at: at } = await count("");
    await db`
      update runner_jobs set created_at = created_at + interval '1 min'
       where id = (select max(id) from runner_jobs where runner_id = ${runner.runnerId})`;
    expect(await count("")).toMatchObject({ count: 2 });
    expect(await count(`created_before=${String(at)}`)).toMatchObject({ count: 1 });
  });

  test("ends at 10,000, and says that there are more", async () => {
    const runner = await setup();
    const many = Array.from({ length: 2_001 }, () => ({ ownerId: "many" }));
    for (let times = 0; times < 5; times++) {
      await givenJobs(db, await givenRunner(db, { orgId: runner.orgId }), many);
    }
    const { body } = await call("GET /v1/runner-jobs/count?owner_id=many", {
      token: runner.admin,
    });
    expect(body).toMatchObject({ count: 10_000, has_more: true });
  });
});

describe("a cancel of all jobs that match", () => {
  test("ends them and no others, and is in the audit log with its filter and its count", async () => {
    const runner = await setup();
    await givenJobs(db, runner, [{ ownerId: "a" }, { ownerId: "a" }, { ownerId: "b" }]);
    const answer = await cancel(runner, { owner_id: "a", status: ["queued", "available"] });
    expect(answer).toMatchObject({
      status: 200,
      body: { cancelled: 2, told_to_stop: 0, has_more: false },
    });
    expect(await statusesOf(runner)).toEqual({ cancelled: 2, queued: 1 });
    expect(await queueOf(db, runner)).toEqual({ in_use: 0, waiting: 1 });
    await broker.audit.flush();
    const [row] = await db`
      select changes, outcome from audit_events where org_id = ${runner.orgId} and action = 'cancelJobs'`;
    expect(row).toMatchObject({ outcome: "allowed", changes: { owner_id: "a", cancelled: 2 } });
  });

  test("takes a limit, and says that more match", async () => {
    const runner = await setup();
    await givenJobs(db, runner, [{}, {}, {}]);
    const body = { runner_id: runner.runnerId, limit: 2 };
    expect((await cancel(runner, body)).body).toMatchObject({ cancelled: 2, has_more: true });
    expect((await cancel(runner, body)).body).toMatchObject({ cancelled: 1, has_more: false });
    expect((await cancel(runner, body)).body).toMatchObject({ cancelled: 0, has_more: false });
  });

  test("tells running ones to stop, unless the filter names those that wait", async () => {
    const runner = await setup();
    const processId = await givenProcess(db, runner);
    await givenJobs(db, runner, [{}, {}]);
    const [held] = await claim(db, runner, { processId });
    await report(db, runner, { executionId: held?.executionId ?? "", status: "in-progress" });
    await cancel(runner, { status: "queued" });
    expect(await statusesOf(runner)).toEqual({ "in-progress": 1, cancelled: 1 });
    expect((await cancel(runner, { all: true })).body).toMatchObject({
      cancelled: 1,
      told_to_stop: 1,
    });
    const stopping = await db`
      select process_id from stopping_executions where runner_id = ${runner.runnerId}`;
    expect(stopping).toEqual([{ process_id: processId }]);
  });

  test("leaves a job alone that was claimed between the search and its turn", async () => {
    const runner = await setup();
    const processId = await givenProcess(db, runner);
    const [jobId = ""] = await givenJobs(db, runner, [{}]);
    await claim(db, runner, { processId });
    const rows = await db`
      select * from cancel_matching_jobs(${runner.orgId}, ${[jobId]}, ${["queued", "available"]}, 'why')`;
    expect(rows).toEqual([]);
    expect(await statusesOf(runner)).toEqual({ "in-progress": 1 });
  });

  test("frees slots for jobs that do not match", async () => {
    const runner = await setup();
    await givenProcess(db, runner);
    await givenJobs(db, runner, [{ ownerId: "a" }, { ownerId: "b" }]);
    expect(await statusesOf(runner)).toEqual({ available: 1, queued: 1 });
    await cancel(runner, { owner_id: "a" });
    expect(await statusesOf(runner)).toEqual({ cancelled: 1, available: 1 });
  });

  test("never acts without a filter by oversight, nor on ended jobs, nor in another org", async () => {
    const [runner, other] = [await setup(), await setup()];
    await givenJobs(db, runner, [{}]);
    expect(await cancel(runner, {})).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "#/all", code: "required" }] },
    });
    expect((await cancel(runner, { status: "failed" })).status).toBe(422);
    expect((await cancel(runner, { all: true, limit: 1_001 })).status).toBe(422);
    expect((await cancel(runner, { al: true })).status).toBe(422);
    expect((await cancel(other, { all: true })).body).toMatchObject({ cancelled: 0 });
    expect((await cancel(other, { runner_id: runner.runnerId })).body).toMatchObject({
      cancelled: 0,
    });
    const reader = await givenToken(db, { orgId: runner.orgId, role: "org_read_only" });
    expect((await cancel({ admin: reader }, { all: true })).status).toBe(403);
    expect(await statusesOf(runner)).toEqual({ queued: 1 });
  });
});

type Rerun = { enqueued: number; refused: object[]; next_cursor: string | null };

describe("a rerun of all jobs that match", () => {
  const rerun = async ({ admin }: RunnerTokens, body: object, key?: string) =>
    await call<Rerun>("POST /v1/runner-jobs/rerun", {
      token: admin,
      body,
      ...(key !== undefined && { headers: { "idempotency-key": key } }),
    });

  test("enqueues each once for a key, page by page", async () => {
    const runner = await setup();
    const failed = await givenFailed(runner, 3);
    const body = { status: "failed", limit: 2 };
    const first = await rerun(runner, body, "once");
    expect(first.body).toEqual({ enqueued: 2, refused: [], next_cursor: failed[1] });
    const rest = { ...body, cursor: first.body.next_cursor };
    expect((await rerun(runner, rest, "once")).body).toMatchObject({
      enqueued: 1,
      next_cursor: null,
    });
    await rerun(runner, body, "once");
    const made = await db<{ rerun_of: string }[]>`
      select rerun_of from runner_jobs where runner_id = ${runner.runnerId} and rerun_of is not null`;
    expect(made.map(({ rerun_of: of }) => of).toSorted()).toEqual(failed.toSorted());
  });

  test("says what could not be enqueued, and why", async () => {
    const runner = await setup();
    const [id] = await givenFailed(runner, 1);
    await db`update runners set lifecycle = 'disabled' where id = ${runner.runnerId}`;
    expect((await rerun(runner, { all: true })).body).toMatchObject({
      enqueued: 0,
      refused: [{ runner_job_id: id, code: "runner_disabled" }],
    });
  });

  test("takes ended jobs alone, and needs a filter", async () => {
    const runner = await setup();
    await givenJobs(db, runner, [{}]);
    expect((await rerun(runner, { status: "queued" })).status).toBe(422);
    expect((await rerun(runner, {})).status).toBe(422);
    expect((await rerun(runner, { all: true })).body).toMatchObject({ enqueued: 0 });
  });
});

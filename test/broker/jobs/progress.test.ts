import { beforeAll, describe, expect, test } from "vitest";
import { deleteOldJobs } from "../../../broker/retention/delete-old-jobs.ts";
import type { ExecutionProgress } from "../../../shared/api/execution-progress.ts";
import type { RunnerJobExecution } from "../../../shared/api/runner-job-execution.ts";
import type { RunnerJob } from "../../../shared/api/runner-job.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg } from "../../support/rows/given.ts";
import { givenStateJob, givenWorkspace } from "../../support/workspaces/given-workspace.ts";

let at: GivenOperator;
let url: string;
beforeAll(async () => {
  const database = await testDatabase();
  ({ url } = database);
  at = await givenOperator("org_admin", database);
});

type Step = Partial<ExecutionProgress["steps"][number]>;

/** An execution in progress, and how it tells its steps. */
async function setup() {
  const given = await givenStateJob(at, await givenWorkspace(at));
  const path = `/v1/runner-jobs/${given.jobId}/executions/${given.executionId}`;
  const tell = (steps: readonly Step[], token = given.token) =>
    at.call(`POST ${path}/progress`, { token, body: { steps } });
  const read = async () => (await at.call<RunnerJobExecution>(`GET ${path}`)).body.progress;
  const finish = () =>
    at.call(`POST ${path}/finish`, {
      token: given.token,
      body: { status: "failed", result: { success: false } },
    });
  return { ...given, path, tell, read, finish };
}

const named = (from: number, to: number, status: Step["status"] = "pending"): Step[] =>
  Array.from({ length: to - from }, (_, n) => ({ name: `aws_instance.web[${from + n}]`, status }));

describe("the progress of an execution", () => {
  test("is its steps in the order they were first told, each as it was told last", async () => {
    const { tell, read, jobId, executionId } = await setup();
    expect(await read()).toBeUndefined();
    const begun = "2026-11-22T10:00:00.000Z";
    await tell([
      { name: "b", status: "in-progress", started_at: begun, detail: "creating" },
      { name: "a", status: "pending" },
    ]);
    const later = await tell([
      { name: "c", status: "error", detail: "quota" },
      { name: "b", status: "in-progress" },
      { name: "b", status: "finished" },
    ]);
    expect(later).toMatchObject({ status: 200, body: { steps: 3, is_full: false } });
    const progress = await read();
    expect(progress?.steps).toMatchObject([
      { name: "b", status: "finished", detail: "creating", started_at: begun },
      { name: "a", status: "pending", detail: "", started_at: null, ended_at: null },
      { name: "c", status: "error", detail: "quota" },
    ]);
    expect(progress?.steps.map(({ ended_at: ended }) => ended !== null)).toEqual([
      true,
      false,
      true,
    ]);
    const job = await at.call<RunnerJob>(`GET /v1/runner-jobs/${jobId}`);
    expect(job.body.executions).toMatchObject([{ id: executionId, progress }]);
  });

  test("is the same when the same is told again, and of no more steps than are kept", async () => {
    const { tell, read } = await setup();
    for (let from = 0; from < 600; from += 150) await tell(named(from, from + 150));
    const full = await tell(named(400, 600, "finished"));
    expect(full.body).toEqual({ steps: 500, is_full: true });
    const progress = await read();
    expect(progress?.steps).toHaveLength(500);
    expect(progress?.steps.at(-1)).toMatchObject({
      name: "aws_instance.web[499]",
      status: "finished",
    });
    expect(progress?.is_full).toBe(true);
    await tell(named(400, 600, "finished"));
    expect((await read())?.steps).toEqual(progress?.steps);
  });

  test("is bounded in a call, a name and a text", async () => {
    const { tell, read } = await setup();
    expect((await tell(named(0, 201))).status).toBe(422);
    expect((await tell([{ name: "x".repeat(201), status: "pending" }])).status).toBe(422);
    expect((await tell([{ name: "x", status: "odd" as "pending" }])).status).toBe(422);
    await tell([{ name: "x", status: "error", detail: "y".repeat(10_000) }]);
    expect((await read())?.steps[0]?.detail).toHaveLength(500);
  });

  test("is whole when twenty tell different steps at once to two brokers", async () => {
    const { path, read, token } = await setup();
    const other = await startBroker({ url });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        (n % 2 === 0 ? at.broker : other).call(`POST ${path}/progress`, {
          token,
          body: { steps: named(n * 30, n * 30 + 60) },
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const progress = await read();
    expect(progress).toMatchObject({ is_full: true });
    expect(new Set(progress?.steps.map(({ name }) => name)).size).toBe(500);
  });

  test("is told by its own job's token or its runner's only, and till ten minutes after its end", async () => {
    const { tell, runnerToken, finish, read } = await setup();
    const stranger = await setup();
    const steps: Step[] = [{ name: "x", status: "in-progress" }];
    expect((await tell(steps, stranger.token)).status).toBe(404);
    expect((await tell(steps, stranger.runnerToken)).status).toBe(404);
    const orgId = await givenOrg(at.db);
    expect((await tell(steps, await givenToken(at.db, { orgId, role: "org_admin" }))).status).toBe(
      403,
    );
    expect(await read()).toBeUndefined();
    expect((await tell(steps, runnerToken)).status).toBe(200);
    await finish();
    expect((await tell([{ name: "x", status: "finished" }])).status).toBe(200);
    await advanceClock(at.db, "10 minutes 1 second");
    const late = await tell([{ name: "x", status: "error" }], runnerToken);
    expect(late).toMatchObject({ status: 409, body: { code: "execution_ended" } });
    expect((await read())?.steps).toMatchObject([{ status: "finished" }]);
  });

  test("goes with its job", async () => {
    const { tell, finish, executionId } = await setup();
    await tell(named(0, 3));
    await finish();
    await advanceClock(at.db, "40 days");
    await deleteOldJobs(at.db, 30, { signal: new AbortController().signal, batch: 100 });
    const left = await at.db`
      select 1 from runner_job_execution_progress where execution_id = ${executionId}
      union all select 1 from runner_job_execution_steps where execution_id = ${executionId}`;
    expect(left).toHaveLength(0);
  });
});

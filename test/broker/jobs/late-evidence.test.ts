import { beforeAll, describe, expect, test } from "vitest";
import type { RunnerJobExecution } from "../../../shared/api/runner-job-execution.ts";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { givenStateJob, givenWorkspace } from "../../support/workspaces/given-workspace.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

/** An execution that has told its end, and may go on telling others. */
async function setup() {
  const { jobId, executionId, token } = await givenStateJob(at, await givenWorkspace(at));
  const path = `/v1/runner-jobs/${jobId}/executions/${executionId}`;
  const result = { success: true, contents: "first" };
  const body = { status: "finished", result, outputs: { nth: 0 } };
  expect((await at.call(`POST ${path}/finish`, { token, body })).status).toBe(200);
  const tell = (what: "result" | "outputs", told: object) =>
    at.call(`POST ${path}/${what}`, { token, body: told });
  const evidence = async () =>
    (await at.call<RunnerJobExecution>(`GET ${path}`)).body.evidence ?? [];
  return { path, token, executionId, tell, evidence };
}

describe("what contradicts a result later", () => {
  test("is kept once, however often a lost answer has it sent again", async () => {
    const { tell, evidence, path, token } = await setup();
    for (const contents of ["other", "other", "third", "other"]) {
      expect((await tell("result", { success: false, contents })).status).toBe(201);
    }
    await tell("result", { success: true, contents: "other" });
    for (const status of ["failed", "failed"]) {
      await at.call(`PATCH ${path}`, { token, body: { status } });
    }
    const kept = await evidence();
    expect(kept.map(({ kind }) => kind)).toEqual(["result", "result", "result", "status"]);
    expect(kept[0]?.body).toMatchObject({ success: false, contents: "other" });
    expect(kept[2]?.body).toMatchObject({ success: true, contents: "other" });
  });

  test("is kept twenty times, and then no more: the first ones are", async () => {
    const { tell, evidence } = await setup();
    for (let nth = 1; nth <= 12; nth++) {
      expect((await tell("result", { success: false, contents: `${nth}` })).status).toBe(201);
      expect((await tell("outputs", { outputs: { nth } })).status).toBe(201);
    }
    const kept = await evidence();
    expect(kept).toHaveLength(20);
    expect(kept.at(-1)).toMatchObject({ kind: "outputs", body: { nth: 10 } });
  });

  test("is kept while its large ones take 128 MiB at the most", async () => {
    const { tell, evidence, executionId } = await setup();
    const contents = "x".repeat(400_000);
    await tell("result", { success: false, contents });
    expect(await evidence()).toHaveLength(1);
    await at.db`
      update runner_job_execution_evidence set sealed = convert_to(repeat('x', 128 * 1024 * 1024 - 300000), 'UTF8')
       where execution_id = ${executionId}`;
    await tell("result", { success: false, contents: `${contents}y` });
    await tell("result", { success: false, contents: "short" });
    const kept = await at.db<{ is_small: boolean }[]>`
      select sealed is null as is_small
        from runner_job_execution_evidence where execution_id = ${executionId} order by id`;
    expect(kept.map(({ is_small }) => is_small)).toEqual([false, true]);
  });
});

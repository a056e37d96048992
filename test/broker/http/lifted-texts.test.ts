import { beforeAll, describe, expect, test } from "vitest";
import type { RunnerJobExecution } from "../../../shared/api/runner-job-execution.ts";
import type { RunnerJob } from "../../../shared/api/runner-job.ts";
import { checkPlan } from "../../../shared/plans/check-plan.ts";
import { planNames, planOutline } from "../../../shared/plans/plan-names.ts";
import { runnerJobTypeNames } from "../../../shared/runner-job-types.ts";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { givenStateJob, givenWorkspace } from "../../support/workspaces/given-workspace.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

const long = "x".repeat(400_000); // alone it makes its body one that is read apart
const wide = "😀".repeat(100_000);

describe("a text that is too long for its place", () => {
  test.each([
    { owner_id: long },
    { owner_type: long },
    { metadata: { note: long } },
    { queue_timeout: long },
    { type: long },
  ])("is refused in a large job as in a small one: %o", async (member) => {
    const { id } = await at.createRunner();
    const job = { type: "terraform-deploy", plan: { pad: long }, ...member };
    const pointer = `#/${Object.keys(member)[0]}`;
    const one = await at.call(`POST /v1/runners/${id}/jobs`, { body: job });
    expect(one).toMatchObject({ status: 422, body: { code: "invalid" } });
    expect(JSON.stringify(one.body)).toContain(`"pointer":"${pointer}`);
    expect(JSON.stringify(one.body).length).toBeLessThan(10_000);
    const many = await at.call(`POST /v1/runners/${id}/jobs/batch`, { body: { jobs: [job] } });
    expect(many).toMatchObject({ status: 422, body: { code: "invalid" } });
  });

  test("is cut in what a runner reports, whatever else the report holds", async () => {
    const { jobId, executionId, token } = await givenStateJob(at, await givenWorkspace(at));
    const execution = `/v1/runner-jobs/${jobId}/executions/${executionId}`;
    const error_metadata = { a: wide, class: "no_access", message: wide };
    const result = { success: false, contents: long, error_metadata };
    const body = { status: "failed", status_description: wide, result };
    const ended = await at.call(`POST ${execution}/finish`, { token, body });
    expect(ended.status).toBe(200);
    const { body: job } = await at.call<RunnerJob>(`GET /v1/runner-jobs/${jobId}`);
    expect(job.status_description).toBe("😀".repeat(8192));
    const { body: shown } = await at.call<RunnerJobExecution>(`GET ${execution}`);
    expect(shown).toMatchObject({
      status_description: "😀".repeat(8192),
      result: {
        error_metadata: {
          a: "😀".repeat(500),
          class: "no_access",
          message: "😀".repeat(500),
          truncated: "true",
        },
      },
    });
    const read = await at.call(`GET ${execution}/result`);
    expect(read.body["contents"]).toBe(long);
  });

  test("is cut in each of many reports", async () => {
    const { runnerId, runnerToken, executionId } = await givenStateJob(
      at,
      await givenWorkspace(at),
    );
    const error_metadata = Object.fromEntries(
      Array.from({ length: 3000 }, (_, n) => [`${n} ${"n".repeat(1000)}`, "v".repeat(1000)]),
    );
    const result = { success: false, error_metadata: { ...error_metadata, reason: "refused" } };
    const report = { execution: executionId, status: "failed", status_description: wide, result };
    const told = await at.call(`POST /v1/runners/${runnerId}/reports`, {
      token: runnerToken,
      body: { reports: [report] },
    });
    expect(told.body).toMatchObject({ reports: [{ status: 200 }] });
    const [stored] = await at.db`
      select length(e.status_description) as description, r.error_metadata
        from runner_job_executions e
        join runner_job_execution_results r on r.execution_id = e.id where e.id = ${executionId}`;
    const metadata = { reason: "refused", truncated: "true" };
    expect(stored).toEqual({ description: 8192, error_metadata: metadata });
  });
});

test("what is left of a large plan is no wrong plan of any type", () => {
  const text = { terraform_backend: { WorkspaceID: "tfw_1" }, workspace_id: "tfw_1" };
  const plan = {
    ...text,
    id: "1",
    action_workflow_config_id: "2",
    app_config_id: "3",
    attrs: { action_workflow_config_id: "4" },
    helm: { helm_chart_id: "hlc_1" },
    terraform: text,
    sandbox_mode: { terraform: text },
    pulumi_backend: { WorkspaceID: "tfw_2" },
    pulumi: { ...text, pulumi_backend: { WorkspaceID: "tfw_3", workspace_id: "tfw_4" } },
  };
  expect(planNames(plan)).toHaveLength(9);
  for (const type of runnerJobTypeNames) expect(checkPlan(type, planOutline(plan))).toEqual([]);
});

import { expect, test } from "vitest";
import type { WholeActionRun } from "../../../shared/api/actions.ts";
import { until } from "../../support/broker/given-polling.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenInstall, givenWorkflowsApi, stepIn } from "../../support/workflows/workflows-api.ts";

const { db, call, setup } = await givenWorkflowsApi();

async function givenHeldRun() {
  const org = await setup();
  const { installId, agent } = await givenInstall(org, {
    ends: (plan) => (plan.includes("Hello") ? "held" : "finished"),
  });
  const { body } = await org.run(installId, "greet");
  await until(() => Promise.resolve(agent.held.length === 1));
  const run = await org.api<WholeActionRun>(
    `GET /v1/installs/${installId}/actions/runs/${body.id}`,
  );
  const jobId = run.body.runner_job_id ?? "";
  return { org, agent, workflowId: body.workflow_id, job: `/v1/runner-jobs/${jobId}`, jobId };
}

test("a job of a workflow is not run again by itself, neither alone nor among many", async () => {
  const { org, agent, workflowId, job, jobId } = await givenHeldRun();
  const [held] = agent.held;
  if (held !== undefined) await agent.end(held, "finished");
  await org.reach(workflowId, "success");
  const again = await org.api(`POST ${job}/rerun`);
  expect(again.status).toBe(409);
  expect(again.body).toMatchObject({ code: "workflow_job", workflow_id: workflowId });
  const many = await org.api<{ enqueued: number; refused: object[] }>(
    "POST /v1/runner-jobs/rerun",
    { all: true },
  );
  expect(many.body.enqueued).toBe(0);
  expect(many.body.refused).toContainEqual(
    expect.objectContaining({ runner_job_id: jobId, code: "workflow_job" }),
  );
});

test("who cancels it needs the right to operate installs, and ends its workflow", async () => {
  const { org, agent, workflowId, job } = await givenHeldRun();
  const builder = await givenToken(db, { orgId: org.orgId, role: "org_builder" });
  const refused = await call<{ code: string }>(`POST ${job}/cancel`, { token: builder });
  expect([refused.status, refused.body.code]).toEqual([403, "permission_missing"]);
  const many = await call<{ cancelled: number }>("POST /v1/runner-jobs/cancel", {
    token: builder,
    body: { all: true },
  });
  expect([many.status, many.body.cancelled]).toEqual([200, 0]);
  expect((await org.api(`POST ${job}/cancel`)).status).toBe(202);
  const [held] = agent.held;
  if (held !== undefined) await agent.end(held, "failed");
  const ended = await org.reach(workflowId, "error");
  expect(ended.steps.at(-1)?.status.status).toBe("cancelled");
});

test("a step that is cancelled by itself ends its workflow as an error, once its job has stopped", async () => {
  const { org, agent, workflowId } = await givenHeldRun();
  const step = stepIn((await org.read(workflowId)).body, "in-progress");
  const cancelled = await org.api(`POST /v1/workflows/${workflowId}/steps/${step.id}/cancel`);
  expect(cancelled.status).toBe(202);
  expect((await org.read(workflowId)).body).toMatchObject({ finished: false, cancelling: false });
  const [held] = agent.held;
  if (held !== undefined) await agent.end(held, "failed");
  const ended = await org.reach(workflowId, "error");
  expect(ended.steps.at(-1)?.status.status).toBe("cancelled");
  expect(ended.composite_error).toMatchObject({ code: "step_cancelled", retryable: true });
});

test("an install that is deleted while an action runs leaves no workflow open", async () => {
  const org = await setup();
  const { installId, agent } = await givenInstall(org, {
    ends: (plan) => (plan.includes("Hello") ? "held" : "finished"),
  });
  const { body } = await org.run(installId, "greet");
  await until(() => Promise.resolve(agent.held.length === 1));
  const deleted = await org.api<{ workflow_id: string }>(`DELETE /v1/installs/${installId}`);
  expect(deleted.status).toBe(200);
  await org.reach(deleted.body.workflow_id, "success");
  const [held] = agent.held;
  if (held !== undefined) await agent.end(held, "finished");
  await org.reach(body.workflow_id, "cancelled", "success");
});

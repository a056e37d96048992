import { expect, test } from "vitest";
import { deleteOldJobs } from "../../../broker/retention/delete-old-jobs.ts";
import { givenOperator } from "../../support/broker/given-operator.ts";
import { advanceClock } from "../../support/database/clock.ts";

const at = await givenOperator();

test("what a plan names is kept beside it, of a rerun too, and goes with the job", async () => {
  const { id: runnerId } = await at.createRunner();
  const plan = {
    id: "run-1",
    attrs: { action_workflow_config_id: "cfg-1" },
    terraform: { terraform_backend: { WorkspaceID: "tfw_1" } },
    helm: { helm_chart_id: "not an id" },
  };
  const body = { type: "noop", operation: "exec", plan };
  const made = await at.call<{ id: string }>(`POST /v1/runners/${runnerId}/jobs`, { body });
  const { id } = made.body;
  const again = await at.call<{ id: string }>(`POST /v1/runner-jobs/${id}/rerun`);
  const names = async (job: string) =>
    (
      await at.db`select name from runner_job_plan_names where runner_job_id = ${job} order by 1`
    ).map(({ name }) => name as string);
  expect(await names(id)).toEqual(["cfg-1", "run-1", "tfw_1"]);
  expect(await names(again.body.id)).toEqual(["cfg-1", "run-1", "tfw_1"]);
  await at.call(`POST /v1/runner-jobs/${id}/cancel`);
  await advanceClock(at.db, "100 days");
  await deleteOldJobs(at.db, 90, { signal: new AbortController().signal, batch: 10 });
  expect(await names(id)).toEqual([]);
});

import { expect, test } from "vitest";
import { startBroker } from "../../support/broker/broker.ts";
import { httpAgent } from "../../support/broker/http-agent.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenJob, givenProcess, givenRunner } from "../../support/rows/given.ts";

test("a null is absent, however deep it lies in what a runner sends", async () => {
  const { db, url } = await testDatabase();
  const broker = await startBroker({ url });
  const runner = await givenRunner(db);
  const processId = await givenProcess(db, runner);
  const token = await givenToken(db, runner);
  const admin = await givenToken(db, { orgId: runner.orgId });
  const jobId = await givenJob(db, runner);
  const agent = httpAgent(broker.call, { ...runner, processId, token });
  const [claimed] = (await agent.claim({ wait: "5s" })).body.jobs;
  const report = {
    execution: claimed?.execution.id,
    status: "failed",
    status_description: null,
    last_record: null,
    result: { success: null, error_code: 3, error_metadata: { why: "full", none: null } },
    outputs: { kept: null },
  };
  const answer = await broker.call(`POST /v1/runners/${runner.runnerId}/reports`, {
    token,
    body: { reports: [report] },
  });
  expect(answer.status).toBe(200);
  const { body } = await broker.call(`GET /v1/runner-jobs/${jobId}`, { token: admin });
  expect(body).toMatchObject({ status: "failed", outputs: { kept: null } });
});

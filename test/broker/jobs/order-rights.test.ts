import { expect, test } from "vitest";
import { runnerJobType, runnerJobTypeNames } from "../../../shared/runner-job-types.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenRunner } from "../../support/rows/given.ts";

const { db, url } = await testDatabase();
const { call } = await startBroker({ url });
const orders = runnerJobTypeNames.filter((type) => runnerJobType(type).ordersRunner === true);

test("a job that orders its runner is for who may operate runners: alone, in a batch and again", async () => {
  const { orgId, runnerId } = await givenRunner(db);
  const builder = await givenToken(db, { orgId, role: "org_builder" });
  const admin = await givenToken(db, { orgId });
  const jobs = `POST /v1/runners/${runnerId}/jobs`;
  const refusal = { status: 403, body: { code: "permission_missing" } };
  expect(orders).toContain("mng-vm-shut-down");
  expect(orders).toContain("shut-down");
  for (const type of orders) {
    expect(await call(jobs, { token: builder, body: { type } })).toMatchObject(refusal);
    const made = await call<{ id: string }>(jobs, { token: admin, body: { type } });
    expect(made.status).toBe(201);
    const again = `POST /v1/runner-jobs/${made.body.id}/rerun`;
    expect(await call(again, { token: builder, body: {} })).toMatchObject(refusal);
  }
  const batch = { jobs: [{ type: "noop" }, { type: "mng-shut-down" }] };
  expect(await call(`${jobs}/batch`, { token: builder, body: batch })).toMatchObject(refusal);
  expect((await call(jobs, { token: builder, body: { type: "noop-deploy" } })).status).toBe(201);
});

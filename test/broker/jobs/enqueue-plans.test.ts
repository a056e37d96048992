import { expect, test } from "vitest";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenRunner } from "../../support/rows/given.ts";

const { db, url } = await testDatabase();
const { call } = await startBroker({ url });

test("a plan whose members have wrong types is refused with a pointer to each, alone and in a batch", async () => {
  const runner = await givenRunner(db);
  const token = await givenToken(db, { orgId: runner.orgId });
  const job = { type: "terraform-deploy", plan: { terraform: { env_vars: { "a/b": 1 } } } };
  const path = `POST /v1/runners/${runner.runnerId}/jobs`;
  expect(await call(path, { token, body: job })).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: "#/plan/terraform/env_vars/a~1b", code: "invalid_type" }] },
  });
  const body = { jobs: [{ type: "noop" }, job] };
  expect(await call(`${path}/batch`, { token, body })).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: "#/jobs/1/plan/terraform/env_vars/a~1b" }] },
  });
  for (const plan of [[], "text", 1, true]) {
    const answer = await call(path, { token, body: { type: "noop", plan } });
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer: "#/plan" }] } });
  }
  expect(await db`select from runner_jobs`).toEqual([]);
});

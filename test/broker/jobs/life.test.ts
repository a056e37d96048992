import { beforeAll, describe, expect, it } from "vitest";
import type { Db } from "../../../broker/database/connect.ts";
import { type TestBroker, startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { type GivenRunner, givenProcess, givenRunner } from "../../support/rows/given.ts";

type Claimed = {
  jobs: { job: { id: string }; execution: { id: string }; plan: unknown; token: string }[];
  orders: unknown[];
};

describe("the life of a job over HTTP", () => {
  let db: Db;
  let broker: TestBroker;
  let runner: GivenRunner;
  let admin: string;
  let token: string;

  beforeAll(async () => {
    const database = await testDatabase();
    db = database.db;
    broker = await startBroker({ url: database.url });
    runner = await givenRunner(db, { parallelism: { deploy: 2 } });
    admin = await givenToken(db, { orgId: runner.orgId });
    token = await givenToken(db, runner);
  });

  it("goes from enqueue over claim and report to its end", async () => {
    const { call } = broker;
    const { runnerId } = runner;
    const process_id = await givenProcess(db, runner, { serves: { deploy: 2 } });
    const plan = '{"b": 1.0, "a": [12345678901234567890]}';
    const enqueued = await call<{ id: string; status: string }>(
      `POST /v1/runners/${runnerId}/jobs`,
      {
        token: admin,
        body: `{"type":"noop-deploy","plan":${plan}}`,
      },
    );
    expect(enqueued).toMatchObject({ status: 201, body: { status: "available" } });
    const claimed = await call<Claimed>(`POST /v1/runners/${runnerId}/jobs/claim`, {
      token,
      body: { process_id, groups: { deploy: 2 }, poll_id: "p1" },
    });
    expect(claimed.status).toBe(200);
    const [mine] = claimed.body.jobs;
    expect(mine?.job.id).toBe(enqueued.body.id);
    const path = `/v1/runner-jobs/${mine?.job.id}/executions/${mine?.execution.id}`;
    const began = await call(`PATCH ${path}`, {
      token: mine?.token ?? "",
      body: { status: "initializing" },
    });
    expect(began).toMatchObject({ status: 200, body: { status: "initializing" } });
    const without = await call(`POST ${path}/finish`, { token, body: { status: "finished" } });
    expect(without).toMatchObject({ status: 409, body: { code: "result_missing" } });
    const finished = await call(`POST ${path}/finish`, {
      token,
      body: { status: "finished", result: { success: true }, outputs: { x: 1 } },
    });
    expect(finished).toMatchObject({ status: 200, body: { job_status: "finished" } });
  });
});

import { describe, expect, onTestFinished, test } from "vitest";
import { startBroker } from "../../support/broker/broker.ts";
import { givenAgent, type Polling, until } from "../../support/broker/given-polling.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import {
  givenExecution,
  givenJob,
  givenOrg,
  givenProcess,
  givenRunner,
} from "../../support/rows/given.ts";

const { url, db } = await testDatabase();
const env = { SVC_RATE_TOKEN_PER_S: "0", SVC_RATE_ORG_PER_S: "0", SVC_LOCK_WAIT_MS: "1000" };
const broker = await startBroker({ url, env });
const at = { db, url, brokers: [broker, broker] } as Polling;

/** An org whose runner's rows somebody else holds, from now to the end of the test. */
async function givenHeldOrg() {
  const runner = await givenRunner(db, { parallelism: { deploy: 5 } });
  const admin = await givenToken(db, { orgId: runner.orgId });
  const token = await givenToken(db, runner);
  const processId = await givenProcess(db, runner);
  const held = await givenExecution(db, runner, { processId });
  const letGo = Promise.withResolvers<void>();
  const isHeld = Promise.withResolvers<void>();
  const holding = db.begin(async (tx) => {
    await tx`select from runners where id = ${runner.runnerId} for update`;
    await tx`select from runner_queues where runner_id = ${runner.runnerId} for update`;
    isHeld.resolve();
    await letGo.promise;
  });
  onTestFinished(async () => {
    letGo.resolve();
    await holding;
  });
  await isHeld.promise;
  return { ...runner, admin, token, held };
}

/** Everything that an org asks in a day's work; each answers its status. */
async function daysWork(): Promise<number[]> {
  const agent = await givenAgent(at, { serves: { deploy: 2 } });
  const { runnerId, orgId } = agent.runner;
  const admin = await givenToken(db, { orgId });
  const as = (token: string) => async (what: string, body?: object) =>
    (await broker.call(what, { token, body })).status;
  const [ours, runners] = [as(admin), as(agent.token)];
  const path = `/v1/runners/${runnerId}`;
  const job = { type: "terraform-deploy", plan: {} };
  const statuses = [await ours(`POST ${path}/jobs`, job)];
  const claimed = await agent.claim({ groups: { deploy: 1 }, wait: "20s" });
  const [claim] = claimed.body.jobs;
  const execution = `/v1/runner-jobs/${claim?.job.id}/executions/${claim?.execution.id}`;
  statuses.push(
    claimed.status,
    await runners(`PATCH ${execution}`, { status: "in-progress" }),
    await runners(`POST ${execution}/finish`, { status: "finished", result: { success: true } }),
    await runners(`POST ${path}/heart-beats`, {
      alive_time: 1,
      version: "1",
      process: "install",
      process_id: agent.processId,
    }),
    await runners(`POST ${path}/processes`, { type: "install", version: "1" }),
    await runners(`POST /v1/log-streams/lgs_${claim?.job.id.slice(4)}/logs`, {}),
    await ours(`POST ${path}/jobs/batch`, { jobs: [job, job] }),
    await ours(`GET ${path}/jobs`),
    await ours(`GET /v1/runner-jobs/${claim?.job.id}/wait?wait=1ms`),
    await ours("GET /v1/job-events?wait=1ms"),
    await ours(`POST ${path}/pause`, { note: "x" }),
    await ours(`POST ${path}/resume`),
    await ours(`POST ${path}/flush`),
  );
  return statuses;
}

describe("an org whose rows do not come free", () => {
  test("holds up nobody else: its requests, of each kind and many at once, are told 429, another org's are all answered", async () => {
    const { runnerId, admin, token, held } = await givenHeldOrg();
    const path = `/v1/runners/${runnerId}`;
    const execution = `/v1/runner-jobs/${held.jobId}/executions/${held.executionId}`;
    const kinds: readonly (readonly [string, string, object?])[] = [
      [`POST ${path}/processes`, token, { type: "install", version: "1" }],
      [`POST ${path}/pause`, admin, { note: "x" }],
      [`POST ${path}/flush`, admin],
      [`POST ${path}/jobs`, admin, { type: "terraform-deploy", plan: {} }],
      [`POST ${path}/jobs/batch`, admin, { jobs: [{ type: "terraform-deploy", plan: {} }] }],
      [`POST ${execution}/finish`, token, { status: "finished", result: { success: true } }],
      [`POST /v1/runner-jobs/${held.jobId}/cancel`, admin],
    ];
    const over = new AbortController();
    const refused = new Map<string, { status: number; body: Record<string, unknown> }>();
    const wrong: unknown[] = [];
    const storm = kinds.flatMap(([what, by, body]) =>
      Array.from({ length: 20 }, async () => {
        while (!over.signal.aborted) {
          const answer = await broker.call(what, { token: by, body });
          if (answer.status === 429) refused.set(what, answer);
          else if (!over.signal.aborted) wrong.push([what, answer]);
        }
      }),
    );
    await until(() => refused.size === kinds.length || wrong.length > 0);
    const statuses = await daysWork();
    over.abort();
    await Promise.all(storm);
    expect(statuses.filter((status) => status >= 300)).toEqual([]);
    expect(wrong).toEqual([]);
    for (const answer of refused.values()) {
      expect(answer.body).toMatchObject({ code: "busy" });
      expect(String(answer.body["detail"])).toContain("end fewer ");
    }
  });

  test("is served again as soon as they do", async () => {
    const runner = await givenRunner(db, { parallelism: { deploy: 5 } });
    const admin = await givenToken(db, { orgId: runner.orgId });
    const enqueue = async () =>
      (
        await broker.call(`POST /v1/runners/${runner.runnerId}/jobs`, {
          token: admin,
          body: { type: "terraform-deploy", plan: {} },
        })
      ).status;
    await givenJob(db, runner); // so that there is a queue to hold
    await db.begin(async (tx) => {
      await tx`select from runner_queues where runner_id = ${runner.runnerId} for update`;
      expect(await enqueue()).toBe(429);
    });
    await expect.poll(enqueue).toBe(201);
  });
});

describe("requests with one idempotency key", () => {
  test("wait for one row with one of them: the others are told 409 at once", async () => {
    const orgId = await givenOrg(db);
    const token = await givenToken(db, { orgId });
    const patient = await startBroker({ url });
    const make = () =>
      patient.call("POST /v1/accounts", {
        token,
        body: { name: "Ann", roles: ["org_read_only"] },
        headers: { "idempotency-key": "one" },
      });
    const { answers, first } = await db.begin(async (tx) => {
      await tx`
        insert into idempotency_keys (org_id, key, operation_id, fingerprint)
        values (${orgId}, 'one', 'createAccount', '')`;
      const first = make();
      await until(() => patient.broker.pendingIdempotencyKeys.size === 1);
      const answers = await Promise.all(Array.from({ length: 50 }, make));
      await tx`delete from idempotency_keys where org_id = ${orgId}`;
      return { answers, first };
    });
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 409, body: { code: "idempotency_in_flight" } });
      expect(answer.headers.get("retry-after")).toBe("1");
    }
    expect((await first).status).toBe(201);
  });
});

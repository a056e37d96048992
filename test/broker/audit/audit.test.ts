import { describe, expect, test } from "vitest";
import { summarizeChange } from "../../../broker/audit/summarize-change.ts";
import { givenAudit } from "../../support/broker/given-audit.ts";
import { givenQueue } from "../../support/queues/given-signals.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenJob } from "../../support/rows/given.ts";

const { db, broker, mine, theirs, admin, runnerToken, stranger, events } = await givenAudit();
const { call } = broker;

async function aQueue(name: string): Promise<string> {
  const { status, body } = await call<{ id: string }>("POST /v1/queues", {
    token: admin,
    body: { name },
  });
  expect(status).toBe(201);
  return body.id;
}

async function rename(from: string, to: string): Promise<void> {
  await db.unsafe(`alter table ${from} rename to ${to}`);
}

describe("an act", () => {
  test("that is allowed is told with who, what, where from and what was asked", async () => {
    const headers = {
      "x-request-id": "req-of-a-queue",
      "user-agent": "svc-cli/9\u00e9 x".slice(0, 9),
    };
    const body = { name: "deploys", max_depth: 7, metadata: { key: "hidden" } };
    const made = await call<{ id: string }>("POST /v1/queues", { token: admin, body, headers });
    const [event] = await events(`target_id=${made.body.id}`);
    expect(event).toMatchObject({
      action: "createQueue",
      permission: "queues.write",
      outcome: "allowed",
      status: 201,
      target_type: "queue",
      target_id: made.body.id,
      parent_id: null,
      count: 1,
      code: "",
      ip: "127.0.0.1",
      user_agent: "svc-cli/9",
      request_id: "req-of-a-queue",
      changes: { name: "deploys", max_depth: 7, metadata: "(1 members)" },
    });
    const [token] = await db<{ actor_id: string; token_hint: string }[]>`
      select id as actor_id, hint as token_hint from tokens where id = ${event?.token_id ?? ""}`;
    expect(event).toMatchObject({ ...token });
    expect(Date.parse(event?.started_at ?? "")).toBeLessThanOrEqual(Date.parse(event?.at ?? ""));
    expect(await db`select from audit_asked`).toHaveLength(0);
  });

  test("names what its target belongs to, and the reason that it was given", async () => {
    const id = await aQueue("with-a-reason");
    const note = "the database\nis moving";
    await call(`POST /v1/queues/${id}/pause`, { token: admin, body: { note } });
    const path = `POST /v1/queues/${id}/signals/redrive`;
    await call(path, { token: admin, body: {} });
    const [redrive, pause] = await events(`target_id=${id}`);
    expect(redrive).toMatchObject({ action: "redriveSignals", target_id: id });
    expect(pause).toMatchObject({ action: "pauseQueue", reason: "the database is moving" });
    const shutdown = `POST /v1/runners/${mine.runnerId}/mng/restart`;
    await call(shutdown, { token: admin, body: {} });
    const [restart] = await events(`target_id=${mine.runnerId}`);
    expect(restart).toMatchObject({ target_type: "job", parent_id: mine.runnerId });
  });

  test("that the caller lacks the permission for is told as refused", async () => {
    const token = await givenToken(db, { orgId: mine.orgId, role: "org_read_only" });
    await call("POST /v1/queues", { token, body: { name: "no" } });
    const [event] = await events("outcome=refused&action=createQueue");
    expect(event).toMatchObject({ status: 403, code: "permission_missing", target_type: "org" });
  });

  test("on another org's object is told to the org that tried, and to nobody else", async () => {
    await call(`DELETE /v1/runners/${theirs.runnerId}`, { token: admin });
    const [event] = await events(`target_id=${theirs.runnerId}`);
    expect(event).toMatchObject({ outcome: "refused", status: 404, org_id: mine.orgId });
    expect(await events("", stranger)).toEqual([]);
  });

  test("that its handler refuses, or that fails, is told with the problem's code", async () => {
    const id = await aQueue("stale");
    const headers = { "if-match": '"77"' };
    await call(`PATCH /v1/queues/${id}`, { token: admin, body: { max_depth: 3 }, headers });
    expect((await events(`target_id=${id}`))[0]).toMatchObject({ outcome: "refused", status: 412 });
    await rename("queue_counters", "queue_counters_gone");
    const failed = await call(`POST /v1/queues/${id}/purge`, { token: admin, body: {} });
    await rename("queue_counters_gone", "queue_counters");
    expect(failed.status).toBe(500);
    const [event] = await events(`target_id=${id}`);
    expect(event).toMatchObject({ outcome: "failed", status: 500, code: "internal" });
  });

  test("is not done when the audit log cannot be written", async () => {
    await rename("audit_asked", "audit_gone");
    const body = { name: "unseen" };
    const refused = await call("POST /v1/queues", { token: admin, body });
    await rename("audit_gone", "audit_asked");
    expect(refused).toMatchObject({ status: 503, body: { code: "audit_unavailable" } });
    expect(await db`select from queues where name = 'unseen'`).toHaveLength(0);
  });

  test("that is repeated by its Idempotency-Key is told once", async () => {
    const ask = { token: admin, body: { name: "once" }, headers: { "idempotency-key": "k1" } };
    const [first, second] = [
      await call<{ id: string }>("POST /v1/queues", ask),
      await call<{ id: string }>("POST /v1/queues", ask),
    ];
    expect(second.body).toEqual(first.body);
    expect(await events(`target_id=${first.body.id}`)).toHaveLength(1);
  });
});

describe("a read", () => {
  test("leaves nothing, but for one of secrets, which is told before it is answered", async () => {
    const jobId = await givenJob(db, mine, { plan: '{"a":1}' });
    for (const path of ["", "/executions"]) {
      await call(`GET /v1/runner-jobs/${jobId}${path}`, { token: admin });
    }
    expect(await events(`target_id=${jobId}`)).toEqual([]);
    await call(`GET /v1/runner-jobs/${jobId}/plan`, { token: admin });
    await call(`GET /v1/runner-jobs/${jobId}?include=plan`, { token: admin });
    const told = await events(`target_id=${jobId}`);
    expect(told.map(({ action, outcome }) => [action, outcome])).toEqual([
      ["getJob", "allowed"],
      ["getJobPlan", "allowed"],
    ]);
    await call(`GET /v1/runner-jobs/${jobId}/plan`, { token: runnerToken });
    expect(await events(`target_id=${jobId}`)).toHaveLength(2);
    await rename("audit_events", "audit_gone");
    const unseen = await call(`GET /v1/runner-jobs/${jobId}/plan`, { token: admin });
    await rename("audit_gone", "audit_events");
    expect(unseen).toMatchObject({ status: 503, body: { code: "audit_unavailable" } });
  });

  test("of what is not there is told as refused", async () => {
    await call(`GET /v1/runners/${theirs.runnerId}/card-details`, { token: admin });
    const [event] = await events(`target_id=${theirs.runnerId}`);
    expect(event).toMatchObject({ action: "getRunnerCard", outcome: "refused", status: 404 });
  });
});

describe("what is called often", () => {
  test("is counted by token and object, without a statement of its own", async () => {
    const path = `POST /v1/runners/${mine.runnerId}/jobs`;
    const token = await givenToken(db, { orgId: mine.orgId, role: "org_builder" });
    for (let n = 0; n < 5; n++) await call(path, { token, body: { type: "noop-deploy" } });
    expect(await db`select from audit_events where action = 'enqueueJob'`).toHaveLength(0);
    const told = await events("action=enqueueJob");
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({ count: 5, target_id: mine.runnerId, outcome: "allowed" });
  });

  test("is not told of workers and runners", async () => {
    const { queueId } = await givenQueue(db, { orgId: mine.orgId });
    const ask = { token: admin, body: { worker: "w", wait: "0s" } };
    expect((await call(`POST /v1/queues/${queueId}/signals/claim`, ask)).status).toBe(200);
    const beat = { token: runnerToken, body: {} };
    await call(`POST /v1/runners/${mine.runnerId}/health-checks`, beat);
    expect(await events(`target_id=${queueId}`)).toEqual([]);
    expect(await events("action=createHealthCheck")).toEqual([]);
  });
});

test("a flood of refusals is told in few events, which say how many there were", async () => {
  const token = await givenToken(db, { orgId: theirs.orgId, role: "org_read_only" });
  const theirAdmin = await givenToken(db, { orgId: theirs.orgId });
  const asked = 300;
  for (let n = 0; n < asked; n += 50) {
    const some = Array.from({ length: 50 }, () => call("POST /v1/queues", { token, body: {} }));
    await Promise.all(some);
  }
  const gone = `PATCH /v1/queues/que_${"0".repeat(26)}`;
  for (let n = 0; n < 100; n++) await call(gone, { token: theirAdmin, body: { max_depth: 3 } });
  await broker.broker.audit.flush();
  const rows = await db<{ n: number; count: number }[]>`
    select count(*)::int as n, sum(count)::int as count from audit_events where org_id = ${theirs.orgId}`;
  expect(rows[0]?.count).toBe(asked + 100);
  expect(rows[0]?.n).toBeLessThan(120);
  expect(await db`select from audit_asked`).toHaveLength(0);
  const [several] = await db`
    select count, outcome from audit_events where org_id = ${theirs.orgId} and action = 'several' order by count desc`;
  expect(several).toMatchObject({ outcome: "refused" });
});

test("no event is changed or deleted, by whoever tries", async () => {
  await aQueue("for-ever");
  await events();
  await expect(db`update audit_events set outcome = 'allowed'`).rejects.toThrow("append-only");
  await expect(db`delete from audit_events`).rejects.toThrow("append-only");
  await expect(db`truncate audit_events`).rejects.toThrow("append-only");
  const [partition] = await db<{ name: string }[]>`
    select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit_events'::regclass`;
  const name = partition?.name ?? "";
  await expect(db`delete from ${db(name)}`).rejects.toThrow("append-only");
  await expect(db`truncate ${db(name)}`).rejects.toThrow("append-only");
});

describe("what a change asked for", () => {
  test("is shown without texts that may be secret, and within its bytes", () => {
    const secret = "hunter2";
    const shown = summarizeChange({
      name: "n",
      plan: { a: secret },
      data: secret,
      env: [secret],
      max_depth: 3,
      open: true,
      job_group_parallelism: { deploy: "2" },
    });
    expect(shown).toEqual({
      name: "n",
      plan: "(1 members)",
      data: "(7 characters)",
      env: "(1 items)",
      max_depth: 3,
      open: true,
      job_group_parallelism: { deploy: "2" },
    });
    const long = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [`${"m".repeat(60)}${n}`, 1]),
    );
    expect(summarizeChange(long)).toEqual({ "…": "60 members" });
    expect(summarizeChange(undefined)).toBeNull();
  });
});

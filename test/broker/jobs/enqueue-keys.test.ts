import { beforeAll, describe, expect, it } from "vitest";
import type { Db } from "../../../broker/database/connect.ts";
import { type TestBroker, startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { type GivenRunner, givenRunner } from "../../support/rows/given.ts";

describe("an Idempotency-Key on an enqueue", () => {
  let db: Db;
  let broker: TestBroker;
  let runner: GivenRunner;
  let token: string;

  beforeAll(async () => {
    const database = await testDatabase();
    db = database.db;
    broker = await startBroker({ url: database.url });
    runner = await givenRunner(db, { maxDepth: 3 });
    token = await givenToken(db, { orgId: runner.orgId });
  });

  const enqueue = (key: string, body: object, runnerId = runner.runnerId) =>
    broker.call<{ id: string; code: string }>(`POST /v1/runners/${runnerId}/jobs`, {
      token,
      body,
      headers: { "idempotency-key": key },
    });
  const twelve = (ask: () => ReturnType<typeof enqueue>) =>
    Promise.all(Array.from({ length: 12 }, ask));

  it("makes one job of twelve requests at once, and tells which are replays", async () => {
    const answers = await twelve(() => enqueue("once", { type: "noop" }));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    const replayed = answers.filter(
      ({ headers }) => headers.get("idempotency-replayed") === "true",
    );
    expect(replayed).toHaveLength(11);
  });

  it("with another request is refused", async () => {
    const other = await enqueue("once", { type: "noop-deploy" });
    expect(other).toMatchObject({ status: 422, body: { code: "invalid" } });
  });

  it("refuses all of twelve requests at once where the first is refused, and can be used again", async () => {
    const crowded = await givenRunner(db, { orgId: runner.orgId, maxDepth: 1 });
    await enqueue("fills", { type: "noop" }, crowded.runnerId);
    const full = await twelve(() => enqueue("full", { type: "noop" }, crowded.runnerId));
    expect(new Set(full.map(({ status }) => status))).toEqual(new Set([429]));
    expect(await enqueue("full", { type: "noop" })).toMatchObject({ status: 201 });
  });

  it("refuses all of twelve requests at once to a disabled runner", async () => {
    const disabled = await givenRunner(db, { orgId: runner.orgId });
    await db`update runners set lifecycle = 'disabled' where id = ${disabled.runnerId}`;
    const answers = await twelve(() => enqueue("off", { type: "noop" }, disabled.runnerId));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([409]));
  });

  it("answers a batch again in the order of the request", async () => {
    const { orgId } = runner;
    const roomy = await givenRunner(db, { orgId });
    const owners = ["c", "a", "d", "b", "e"];
    const batch = () =>
      broker.call<{ jobs: { id: string; owner_id: string }[] }>(
        `POST /v1/runners/${roomy.runnerId}/jobs/batch`,
        {
          token,
          headers: { "idempotency-key": "batch" },
          body: { jobs: owners.map((id) => ({ type: "noop", owner_id: id, owner_type: "apps" })) },
        },
      );
    const [first, ...again] = [await batch(), await batch(), await batch()];
    expect(first.body.jobs.map((job) => job.owner_id)).toEqual(owners);
    for (const answer of again) {
      expect(answer).toMatchObject({ status: 201, body: first.body });
      expect(answer.headers.get("idempotency-replayed")).toBe("true");
    }
  });

  it("is written with the job that a management order makes, too", async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () =>
        broker.call<{ id: string }>(`POST /v1/runners/${runner.runnerId}/mng/restart`, {
          token,
          body: {},
          headers: { "idempotency-key": "restart" },
        }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    const other = await broker.call(`POST /v1/runners/${runner.runnerId}/mng/update`, {
      token,
      body: {},
      headers: { "idempotency-key": "restart" },
    });
    expect(other).toMatchObject({ status: 422, body: { code: "invalid" } });
  });
});

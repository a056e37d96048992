import { describe, expect, test } from "vitest";
import type { JobEvent } from "../../../shared/api/follow-runner-jobs.ts";
import { startBroker, type TestBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { untilSettled } from "../../support/database/until-settled.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import {
  claim,
  type GivenRunner,
  givenJob,
  givenJobs,
  givenProcess,
  givenRunner,
  report,
} from "../../support/rows/given.ts";

type Followed = { items: JobEvent[]; next_cursor: string };

const { db, url } = await testDatabase();
const broker = await startBroker({ url });

async function setup(given: Parameters<typeof givenRunner>[1] = {}) {
  const runner = await givenRunner(db, given);
  return { ...runner, admin: await givenToken(db, { orgId: runner.orgId }) };
}

async function ask(
  token: string,
  query: string,
  { call }: Pick<TestBroker, "call"> = broker,
): Promise<Followed> {
  const answer = await call<Followed>(`GET /v1/job-events?${query}`, { token });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
}

/** Follows from the oldest event until `isOver`. */
async function follow(token: string, isOver: (events: JobEvent[]) => boolean): Promise<JobEvent[]> {
  const events: JobEvent[] = [];
  let cursor = "";
  while (!isOver(events)) {
    const { items, next_cursor: next } = await ask(token, `cursor=${cursor}&wait=2s&limit=7`);
    events.push(...items);
    cursor = next;
  }
  return events;
}

async function runJobs(runner: GivenRunner, count: number): Promise<void> {
  const processId = await givenProcess(db, runner, { serves: { deploy: 2 } });
  for (let at = 0; at < count; at++) {
    await givenJob(db, runner);
    for (const { executionId } of await claim(db, runner, { processId, want: 2 })) {
      await report(db, runner, { executionId, status: "finished", result: { success: true } });
    }
  }
}

describe("job events", () => {
  test("tell the moves of a job in words, from the oldest with an empty cursor", async () => {
    const runner = await setup();
    const processId = await givenProcess(db, runner);
    const jobId = await givenJob(db, runner, { ownerId: "own_1", ownerType: "installs" });
    const [claimed] = await claim(db, runner, { processId });
    await untilSettled(db);
    const { items, next_cursor: next } = await ask(runner.admin, "cursor=");
    expect(
      items.map(({ event, from_status, to_status }) => [event, from_status, to_status]),
    ).toEqual([
      ["enqueue", null, "queued"],
      ["release", "queued", "available"],
      ["claim", "available", "in-progress"],
    ]);
    expect(items[2]).toMatchObject({
      org_id: runner.orgId,
      runner_job_id: jobId,
      runner_id: runner.runnerId,
      runner_job_execution_id: claimed?.executionId,
      type: "noop-deploy",
      group: "deploy",
      owner_id: "own_1",
      owner_type: "installs",
    });
    expect(await ask(runner.admin, `cursor=${next}&wait=1ms`)).toMatchObject({ items: [] });
  });

  test("begin now without a cursor, and park until something happens", async () => {
    const runner = await setup();
    await givenJob(db, runner);
    await untilSettled(db);
    const first = await ask(runner.admin, "wait=1ms");
    expect(first.items).toEqual([]);
    const parked = ask(runner.admin, `cursor=${first.next_cursor}`);
    await expect.poll(() => broker.broker.events.readers()).toBe(1);
    const enqueued = await broker.call<{ id: string }>(`POST /v1/runners/${runner.runnerId}/jobs`, {
      token: runner.admin,
      body: { type: "noop" },
    });
    expect((await parked).items).toMatchObject([
      { event: "enqueue", runner_job_id: enqueued.body.id },
    ]);
    await expect.poll(() => broker.broker.events.readers()).toBe(0);
  });

  test("are found by the fallback scan when nobody told of them", async () => {
    const runner = await setup();
    const { next_cursor: cursor } = await ask(runner.admin, "wait=1ms");
    const parked = ask(runner.admin, `cursor=${cursor}`);
    await expect.poll(() => broker.broker.events.readers()).toBe(1);
    const jobId = await givenJob(db, runner); // straight into the database
    expect((await parked).items[0]).toMatchObject({ runner_job_id: jobId });
  });

  test("reach many followers of one org through one reader, and none of another org", async () => {
    const [one, two] = [await setup(), await setup()];
    const follower = (admin: string) => ask(admin, "cursor=&wait=20s");
    const parked = Array.from({ length: 20 }, () => follower(one.admin));
    const other = ask(two.admin, "wait=25s");
    await expect.poll(() => broker.broker.events.readers()).toBe(2);
    const jobId = await givenJob(db, one);
    for (const { items } of await Promise.all(parked)) {
      expect(items[0]).toMatchObject({ event: "enqueue", runner_job_id: jobId });
    }
    const itsOwn = await givenJob(db, two);
    const heard = (await other).items.map(({ runner_job_id: id }) => id);
    expect(heard).toEqual([itsOwn]);
  });

  test("are narrowed to a runner or an owner, and the cursor moves over the rest", async () => {
    const runner = await setup();
    const sibling = await givenRunner(db, { orgId: runner.orgId });
    await givenJobs(db, runner, [{}, { ownerId: "own_1" }, {}]);
    await givenJob(db, sibling, { ownerId: "own_1" });
    await untilSettled(db);
    const all = (await ask(runner.admin, "cursor=")).items;
    const ofRunner = await ask(runner.admin, `cursor=&runner_id=${sibling.runnerId}`);
    expect(ofRunner.items).toEqual(all.filter((event) => event.runner_id === sibling.runnerId));
    const ofOwner = await ask(runner.admin, "cursor=&owner_id=own_1");
    expect(ofOwner.items).toHaveLength(2);
    const none = await ask(runner.admin, "cursor=&owner_id=nobody&wait=1ms");
    expect(none.items).toEqual([]);
    expect((await ask(runner.admin, `cursor=${none.next_cursor}&wait=1ms`)).items).toEqual([]);
  });

  test("refuse a cursor of another place, another database, or none", async () => {
    const runner = await setup();
    const ahead = Buffer.from("e1.999999999999.1").toString("base64url");
    for (const query of ["cursor=x", `cursor=${ahead}`, "cursor=ZTEuMQ", "after=1", "limit=0"]) {
      const answer = await broker.call(`GET /v1/job-events?${query}`, { token: runner.admin });
      expect(answer.status).toBe(422);
    }
    const malformed = await broker.call("GET /v1/job-events?wait=soon", { token: runner.admin });
    expect(malformed.status).toBe(400);
  });
});

describe("followers of many writers", () => {
  test("hear every event once and each job's in order, while a transaction stays open", async () => {
    const orgId = (await setup()).orgId;
    const admin = await givenToken(db, { orgId });
    const runners = await Promise.all(Array.from({ length: 8 }, () => givenRunner(db, { orgId })));
    const jobs = 8 * 6;
    const isOver = (events: JobEvent[]) =>
      events.filter(({ event }) => event === "finish").length === jobs;
    const followers = [follow(admin, isOver), follow(admin, isOver)];

    // A writer that holds back: its event stands before all that others write meanwhile.
    const held = Promise.withResolvers<void>();
    const slow = db.begin(async (sql) => {
      await sql`select pg_current_xact_id()`;
      await held.promise;
    });
    await Promise.all(runners.map((runner) => runJobs(runner, 6)));
    held.resolve();
    await slow;

    const [one, two] = await Promise.all(followers);
    const stored = await db<{ id: string }[]>`
      select tx || '-' || seq as id from runner_job_events where org_id = ${orgId} order by tx, seq`;
    expect(one?.map(({ id }) => id)).toEqual(stored.map(({ id }) => id));
    expect(two?.map(({ id }) => id)).toEqual(stored.map(({ id }) => id));
    for (const [, events] of Map.groupBy(one ?? [], (event) => event.runner_job_id)) {
      expect(events.map(({ from_status: from }) => from)).toEqual([
        null,
        ...events.slice(0, -1).map(({ to_status: to }) => to),
      ]);
    }
  });

  test("hear a job's release after its enqueue, though an older transaction released it", async () => {
    const { orgId, admin } = await setup();
    const runner = await givenRunner(db, { orgId });
    const older = await db.reserve();
    await older`begin`;
    await older`select pg_current_xact_id()`; // older from here on, whatever it does later
    const jobId = await givenJob(db, runner);
    await older`select end_jobs(${orgId}, ${[jobId]}, 'cancel', '')`;
    await older`commit`;
    older.release();
    await untilSettled(db);
    const { items } = await ask(admin, "cursor=");
    expect(items.map(({ event }) => event)).toEqual(["enqueue", "cancel"]);
  });
});

describe("a broker that stops", () => {
  test("answers who is parked, and the cursor goes on at another broker", async () => {
    const runner = await setup();
    const going = await startBroker({ url });
    const { next_cursor: cursor } = await ask(runner.admin, "wait=1ms", going);
    const parked = ask(runner.admin, `cursor=${cursor}`, going);
    await expect.poll(() => going.broker.events.readers()).toBe(1);
    await going.stop();
    const { items, next_cursor: next } = await parked;
    expect(items).toEqual([]);
    const jobId = await givenJob(db, runner);
    expect((await ask(runner.admin, `cursor=${next}`)).items[0]).toMatchObject({
      runner_job_id: jobId,
    });
  });

  test("has dropped at once whoever went before it", async () => {
    const runner = await setup();
    const gone = new AbortController();
    const request = fetch(`${broker.url}/v1/job-events`, {
      headers: { authorization: `Bearer ${runner.admin}` },
      signal: gone.signal,
    });
    await expect.poll(() => broker.broker.events.readers()).toBe(1);
    gone.abort();
    await expect(request).rejects.toThrow("abort");
    await expect.poll(() => broker.broker.events.readers()).toBe(0);
  });
});

import { beforeAll, describe, expect, test } from "vitest";
import { topics } from "../../../broker/wake/wakes.ts";
import type { Runner, RunnerGroup } from "../../../shared/api/runner.ts";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { claim, givenJob, givenProcess } from "../../support/rows/given.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

const runnerCall = (id: string, verb: string, body: object = {}) =>
  at.call<Runner>(`POST /v1/runners/${id}/${verb}`, { body });
const groupCall = (id: string, verb: string, body: object = {}) =>
  at.call<RunnerGroup>(`POST /v1/runner-groups/${id}/${verb}`, { body });

async function setup() {
  const runner = await at.createRunner();
  const processId = await givenProcess(at.db, runner.given);
  return { ...runner, processId, take: () => claim(at.db, runner.given, { processId }) };
}

describe("a paused runner", () => {
  test("takes jobs in, releases none, and says why and until when", async () => {
    const { id, given, take } = await setup();
    const { status, body } = await runnerCall(id, "pause", {
      note: "the customer upgrades",
      until: "15m",
    });
    expect(status).toBe(200);
    expect(body.pause).toMatchObject({ note: "the customer upgrades" });
    expect(body.pause?.by_id).toMatch(/^tok_/);
    const lastsMs = Date.parse(body.pause?.until ?? "") - Date.parse(body.pause?.at ?? "");
    expect(lastsMs).toBe(15 * 60_000);
    expect(body.warnings).toEqual([`paused until ${body.pause?.until}: the customer upgrades`]);
    expect(body.status_v2.metadata).toMatchObject({ paused: true, note: "the customer upgrades" });
    await givenJob(at.db, given);
    expect(await take()).toEqual([]);
    const { body: shown } = await at.call<Runner>(`GET /v1/runners/${id}`);
    expect(shown.queues.find(({ name }) => name === "deploy")).toMatchObject({
      paused: true,
      held: "runner paused",
      depth: 1,
      slots: 0,
    });
  });

  test("takes back what nobody has claimed, and lets running jobs go on", async () => {
    const { id, given, take } = await setup();
    await givenJob(at.db, given);
    const [running] = await take();
    const idle = await setup();
    const waiting = await givenJob(at.db, idle.given);
    expect(await statusOf(waiting)).toBe("available");
    await Promise.all([runnerCall(id, "pause"), runnerCall(idle.id, "pause")]);
    expect(await statusOf(running?.jobId)).toBe("in-progress");
    expect(await idle.take()).toEqual([]);
  });

  test("releases what waits when it is resumed, and wakes its polls", async () => {
    const { id, given, take } = await setup();
    await runnerCall(id, "pause");
    const jobId = await givenJob(at.db, given);
    let woken = 0;
    at.broker.broker.wakes.subscribe(topics.queue(id), () => woken++);
    const { status, body } = await runnerCall(id, "resume", { note: "done" });
    expect([status, body.pause, body.warnings]).toEqual([200, null, []]);
    expect(woken).toBeGreaterThan(0);
    expect(await statusOf(jobId)).toBe("available");
    expect(await take()).toMatchObject([{ jobId }]);
    expect((await runnerCall(id, "resume")).status).toBe(200);
  });

  test("keeps its beginning when it is paused again, with another note and end", async () => {
    const { id } = await at.createRunner();
    const first = await runnerCall(id, "pause", { note: "one", until: "1h" });
    const second = await runnerCall(id, "pause", { note: "two" });
    expect(second.body.pause).toMatchObject({ at: first.body.pause?.at, note: "two", until: null });
  });

  test.each([
    [{ until: "2020-01-01T00:00:00Z" }, "#/until", "until_past"],
    [{ until: "0s" }, "#/until", "until_past"],
    [{ until: "9999-12-31T23:59:59Z" }, "#/until", "until_far"],
    [{ until: "400d" }, "#/until", "until_far"],
    [{ until: "9999999d" }, "#/until", "until_far"],
    [{ until: "9999999999999999d" }, "#/until", "invalid_until"],
    [{ until: "2020-01-01T00:00:00+23:59" }, "#/until", "until_past"],
    [{ until: "tomorrow" }, "#/until", "invalid_until"],
    [{ until: "2026-02-30T00:00:00Z" }, "#/until", "invalid_until"],
    [{ until: "-5m" }, "#/until", "invalid_until"],
    [{ until: 900 }, "#/until", "invalid_type"],
    [{ note: 5 }, "#/note", "invalid_type"],
    [{ minutes: 5 }, "#/minutes", "unknown_member"],
  ])("is not paused by %j", async (body, pointer, code) => {
    const { id } = await at.createRunner();
    const answer = await runnerCall(id, "pause", body);
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer, code }] } });
    const { body: shown } = await at.call<Runner>(`GET /v1/runners/${id}`);
    expect(shown.pause).toBeNull();
  });
});

describe("a paused group", () => {
  test("pauses all its runners, also one created later, and leaves other groups alone", async () => {
    const one = await setup();
    const { status, body } = await groupCall(one.runner_group_id, "pause", { note: "frozen" });
    expect([status, body.pause?.note]).toEqual([200, "frozen"]);
    const two = await at.createRunner({ runner_group_id: one.runner_group_id });
    const processId = await givenProcess(at.db, two.given);
    const other = await setup();
    for (const given of [one.given, two.given, other.given]) await givenJob(at.db, given);
    expect(await one.take()).toEqual([]);
    expect(await claim(at.db, two.given, { processId })).toEqual([]);
    expect(await other.take()).toHaveLength(1);
    await groupCall(one.runner_group_id, "resume");
    expect(await one.take()).toHaveLength(1);
    expect(await claim(at.db, two.given, { processId })).toHaveLength(1);
  });

  test("leaves a runner paused that was paused by itself", async () => {
    const { id, runner_group_id, given, take } = await setup();
    await groupCall(runner_group_id, "pause");
    await runnerCall(id, "pause");
    await givenJob(at.db, given);
    await groupCall(runner_group_id, "resume");
    expect(await take()).toEqual([]);
    await runnerCall(id, "resume");
    expect(await take()).toHaveLength(1);
  });

  test("pauses every runner, whichever of a pause and its creation is first", async () => {
    for (let n = 0; n < 5; n++) {
      const group = await at.createGroup();
      const [runner] = await Promise.all([
        at.createRunner({ runner_group_id: group.id }),
        groupCall(group.id, "pause"),
      ]);
      const rows =
        await at.db`select distinct held from runner_queues where runner_id = ${runner.id}`;
      expect(rows).toEqual([{ held: "group paused" }]);
    }
  });
});

describe("a pause with an end", () => {
  test("is over when its end has passed, for runners and groups, and jobs are released", async () => {
    const [one, two] = [await setup(), await setup()];
    await runnerCall(one.id, "pause", { until: "15m" });
    await groupCall(two.runner_group_id, "pause", { until: "15m" });
    const jobs = [await givenJob(at.db, one.given), await givenJob(at.db, two.given)];
    const alive = [one.processId, two.processId];
    await advanceClock(at.db, "14 minutes", { alive });
    await at.db`select sweep_pauses(100)`;
    expect(await Promise.all(jobs.map(statusOf))).toEqual(["queued", "queued"]);
    await advanceClock(at.db, "61 seconds", { alive });
    await at.db`select sweep_pauses(100)`;
    // A group that the broker's own sweep holds at this moment is left to that.
    await expect.poll(() => Promise.all(jobs.map(statusOf))).toEqual(["available", "available"]);
    const { body } = await at.call<Runner>(`GET /v1/runners/${one.id}`);
    expect([body.pause, body.warnings]).toEqual([null, []]);
  });
});

async function statusOf(jobId: string | undefined): Promise<unknown> {
  const [row] = await at.db`select status from runner_job_live where id = ${jobId ?? null}`;
  return row?.["status"];
}

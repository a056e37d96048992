import { describe, expect, test } from "vitest";
import { sweep } from "../../../broker/clocks/sweep.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { givenLeaving } from "../../support/broker/given-leaving.ts";
import { advanceClock, stopClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { claim, givenJob, givenProcess } from "../../support/rows/given.ts";

const { url, db } = await testDatabase();
const { call, broker } = await startBroker({ url });

const { setup, givenRunning, endOf, seen } = givenLeaving(db, { call });

describe("an operator's order", () => {
  test("to go gracefully stops new jobs at once, tells the process, and cuts at its deadline", async () => {
    const given = await setup();
    const { jobId } = await givenRunning(given);
    const told: string[] = [];
    broker.wakes.subscribe(`process:${given.processId}`, (topic) => void told.push(topic));
    const { status, body } = await call<Record<string, unknown>[]>(
      `POST ${given.runnerPath}/graceful-shutdown`,
      { token: given.operator, body: { reason: "a new disk" } },
    );
    expect(status).toBe(200);
    expect(body).toMatchObject([
      {
        runner_process_id: given.processId,
        type: "graceful",
        status: "requested",
        reason: "a new disk",
        metadata: { running_jobs: "1", deadline: body[0]?.["deadline_at"] },
        jobs: { running: 1, stopped: 0 },
      },
    ]);
    expect(body[0]?.["composite_status"]).toMatchObject({ status: "requested", history: [] });
    expect(told).toEqual([`process:${given.processId}`]);
    const waiting = await givenJob(db, given);
    expect(await claim(db, given, { processId: given.processId })).toEqual([]);
    const alive = [given.processId];
    await advanceClock(db, "29 minutes", { alive });
    await db`select sweep_shutdowns(100)`;
    expect(await endOf(jobId)).toBeUndefined();
    told.length = 0;
    await advanceClock(db, "61 s", { alive });
    await sweep(broker, "sweep_shutdowns"); // what the broker's own sweep holds at this moment is left to that
    await expect.poll(() => told).toEqual([`process:${given.processId}`]);
    expect(await endOf(jobId)).toEqual({ status: "failed", why: "shut down by an operator" });
    expect(told).toHaveLength(1);
    expect(await endOf(waiting)).toBeUndefined();
    // The process may have been cut off all this while: the order stands until it has gone.
    expect(await seen(given.path)).toMatchObject([{ type: "graceful", status: "requested" }]);
    const [order] = await db<{ orders: { type: string }[] }[]>`
      select orders from orders_for(${[given.processId]})`;
    expect(order?.orders).toContainEqual(expect.objectContaining({ type: "drain" }));
  });

  test("may say its own deadline, in words or nanoseconds, but no absurd one", async () => {
    const given = await setup();
    const order = (body: object) =>
      call<Record<string, string>[]>(`POST ${given.runnerPath}/restart`, {
        token: given.operator,
        body,
      });
    for (const deadline of ["90s", 90e9]) {
      const { body } = await order({ deadline });
      expect(lengthOf(body[0])).toBe(90_000);
    }
    for (const deadline of ["soon", 0, -1, "25h", 1.5]) {
      const { status, body } = await order({ deadline });
      expect(status).toBe(422);
      expect(body).toMatchObject({ errors: [{ pointer: "#/deadline" }] });
    }
    expect((await order({ dead_line: "90s" })).status).toBe(422);
    const process = await call(`GET ${given.path}`, { token: given.token });
    expect(process.body).toMatchObject({ restart_requested: true });
    expect(await seen(given.path)).toMatchObject([
      { status: "cancelled" },
      { status: "requested" },
    ]);
  });

  test("by force gives what runs ten seconds, fails it after them and never retries it", async () => {
    const given = await setup(false);
    const { jobId } = await givenRunning(given, 3);
    const { status, body } = await call<Record<string, string>[]>(
      `POST ${given.runnerPath}/force-shutdown`,
      { token: given.operator },
    );
    expect(status).toBe(200);
    expect(lengthOf(body[0])).toBe(10_000);
    await advanceClock(db, "11 s");
    await expect
      .poll(() => endOf(jobId))
      .toEqual({ status: "failed", why: "shut down by an operator" });
    const [stopping] =
      await db`select reason from stopping_executions where runner_job_id = ${jobId}`;
    expect(stopping).toEqual({ reason: "forced" });
  });

  test("by force cuts at its deadline and not a moment sooner", async () => {
    const { db: still } = await testDatabase();
    await stopClock(still);
    const leaving = givenLeaving(still, { call });
    const given = await leaving.setup(false);
    const { jobId } = await leaving.givenRunning(given, 3);
    await still`
      select * from request_shutdowns(${[given.processId]}, ${["shd_1"]}, 'force', interval '10 s', ${given.orgId})`;
    await advanceClock(still, "9.999 s");
    await still`select sweep_shutdowns(100)`;
    expect(await leaving.endOf(jobId)).toBeUndefined();
    await advanceClock(still, "0.001 s");
    await still`select sweep_shutdowns(100)`;
    const why = "shut down by an operator";
    expect(await leaving.endOf(jobId)).toEqual({ status: "failed", why });
  });

  test("by force is not undone by a milder one, and what the process says of its end is no loss", async () => {
    const given = await setup();
    const { jobId } = await givenRunning(given, 3);
    const one = (shutdown_type: string) =>
      call(`POST ${given.path}/shutdown`, { token: given.operator, body: { shutdown_type } });
    expect((await one("graceful")).status).toBe(201);
    expect((await one("force")).status).toBe(201);
    expect(await one("graceful")).toMatchObject({ status: 409, body: { code: "shutdown_forced" } });
    const gone = { token: given.token, body: { status: "shut-down" } };
    expect((await call(`PATCH ${given.path}`, gone)).status).toBe(200);
    expect(await endOf(jobId)).toEqual({ status: "failed", why: "shut down by an operator" });
    expect(await seen(given.path)).toMatchObject([
      { type: "graceful", status: "cancelled" },
      { type: "force", status: "completed" },
    ]);
  });

  test("goes to every live process, one record each, and to none that has ended", async () => {
    const given = await setup();
    const [second, dead] = [await givenProcess(db, given), await givenProcess(db, given)];
    await db`select process_goes_down(${dead}, 'shut-down', '')`;
    const { body } = await call<{ runner_process_id: string }[]>(
      `POST ${given.runnerPath}/graceful-shutdown`,
      { token: given.operator },
    );
    expect(body.map((one) => one.runner_process_id).toSorted()).toEqual(
      [given.processId, second].toSorted(),
    );
    const late = await call(`POST ${given.runnerPath}/processes/${dead}/shutdown`, {
      token: given.operator,
    });
    expect(late).toMatchObject({ status: 409, body: { code: "process_not_alive" } });
  });

  test("finds nobody where nothing is alive, and no runner of another org", async () => {
    const given = await setup();
    await db`select process_goes_down(${given.processId}, 'shut-down', '')`;
    for (const kind of ["graceful-shutdown", "force-shutdown", "restart"]) {
      const none = await call(`POST ${given.runnerPath}/${kind}`, { token: given.operator });
      expect(none).toMatchObject({ status: 409, body: { code: "no_live_process" } });
      const other = await setup();
      const foreign = await call(`POST ${given.runnerPath}/${kind}`, { token: other.operator });
      expect(foreign.status).toBe(404);
      const runner = await call(`POST ${given.runnerPath}/${kind}`, { token: given.token });
      expect(runner.status).toBe(403);
    }
  });
});

describe("the shutdowns of a process", () => {
  test("are shown to who knows its id, without a token, and three members of each", async () => {
    const given = await setup(false);
    expect(await seen(given.path)).toEqual([]);
    await call(`POST ${given.runnerPath}/graceful-shutdown`, { token: given.operator });
    expect(await seen(given.path)).toMatchObject([{ type: "graceful", status: "requested" }]);
    const other = await setup();
    const wrong = `${other.runnerPath}/processes/${given.processId}/shutdowns`;
    expect((await call(`GET ${wrong}`)).status).toBe(404);
    expect((await call(`GET ${given.runnerPath}/processes/prc_1/shutdowns`)).status).toBe(404);
  });

  test("are completed by the process; what has ended before stays as it ended", async () => {
    const given = await setup(false);
    const order = () => call(`POST ${given.path}/shutdown`, { token: given.operator });
    const [first, second] = [(await order()).body, (await order()).body];
    const complete = (id: unknown, token = given.token, path = given.path) =>
      call(`POST ${path}/shutdowns/${String(id)}/complete`, { token });
    expect((await complete(first["id"])).body).toMatchObject({ status: "cancelled" });
    const done = await complete(second["id"]);
    expect(done).toMatchObject({ status: 200, body: { status: "completed", deadline_at: null } });
    expect(done.body["composite_status"]).toMatchObject({
      status: "completed",
      history: [{ status: "requested" }],
    });
    expect((await complete(second["id"])).body).toMatchObject({ status: "completed" });
    const other = await setup();
    expect((await complete(second["id"], other.token, other.path)).status).toBe(404);
    expect((await complete("shd_00000000000000000000000000")).status).toBe(404);
  });
});

describe("the last word of a third-party runner", () => {
  const shutdownOf = async (given: Awaited<ReturnType<typeof setup>>) => {
    const order = await call(`POST ${given.path}/shutdown`, { token: given.operator });
    return `POST ${given.path}/shutdowns/${String(order.body["id"])}/complete`;
  };
  const statusOf = async (given: Awaited<ReturnType<typeof setup>>) => {
    const { body } = await call(`GET ${given.path}`, { token: given.token });
    return body["composite_status"];
  };

  test("shuts its process down: what it still ran is lost, and its slot is free", async () => {
    const given = await setup(false);
    const { jobId } = await givenRunning(given);
    const complete = await shutdownOf(given);
    const answer = await call(complete, { token: given.token, body: "null\n" });
    expect(answer).toMatchObject({ status: 200, body: { status: "completed" } });
    expect(await statusOf(given)).toMatchObject({ status: "shut-down" });
    expect(await endOf(jobId)).toEqual({ status: "failed", why: "process lost: it shut down" });
    const heir = await givenProcess(db, given, { isOurs: false });
    const next = await givenJob(db, given);
    expect(await claim(db, given, { processId: heir })).toMatchObject([{ jobId: next }]);
    expect(await call(complete, { token: given.token })).toMatchObject({ status: 200 });
  });

  test("is heard though a later order replaced the one that it answers", async () => {
    const given = await setup(false);
    const complete = await shutdownOf(given);
    await call(`POST ${given.runnerPath}/force-shutdown`, { token: given.operator });
    const answer = await call(complete, { token: given.token });
    expect(answer).toMatchObject({ status: 200, body: { status: "cancelled" } });
    expect(await statusOf(given)).toMatchObject({ status: "shut-down" });
    expect(await seen(given.path)).toMatchObject([
      { type: "graceful", status: "cancelled" },
      { type: "force", status: "completed" },
    ]);
  });

  test("is no word of an agent of ours, which says itself that it has shut down", async () => {
    const given = await setup();
    await call(await shutdownOf(given), { token: given.token });
    expect(await statusOf(given)).toMatchObject({ status: "active" });
  });
});

/** How many milliseconds an order leaves to what runs. */
function lengthOf(order: Record<string, string> | undefined): number {
  return Date.parse(order?.["deadline_at"] ?? "") - Date.parse(order?.["created_at"] ?? "");
}

import { describe, expect, test } from "vitest";
import { makeBeats } from "../../../broker/processes/beat-processes.ts";
import { makeWakes } from "../../../broker/wake/wakes.ts";
import type { ProcessOrder } from "../../../shared/api/process-order.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { directHotPath } from "../../support/database/direct-hot-path.ts";
import { expectSoundQueues } from "../../support/database/expect-sound-queues.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import {
  claim,
  type GivenExecution,
  givenExecution,
  givenRunner,
} from "../../support/rows/given.ts";

const { url, db } = await testDatabase();
const { call } = await startBroker({ url });
const beats = makeBeats(
  directHotPath(db),
  makeWakes(() => {}),
);

type Registered = {
  readonly id: string;
  readonly secret: string;
  readonly orders?: ProcessOrder[];
};

async function setup() {
  const runner = await givenRunner(db, { parallelism: { deploy: 10 } });
  const token = await givenToken(db, { orgId: runner.orgId, runnerId: runner.runnerId });
  const path = `POST /v1/runners/${runner.runnerId}/processes`;
  const register = async (body: object = {}) => {
    const answer = await call<Registered>(path, { token, body: { ...ours, ...body } });
    expect(answer.status).toBe(201);
    return answer.body;
  };
  const process = await register();
  /** Registers in place of the process, as a host that holds these. */
  const takeOver = async (...executions: string[]) =>
    await register({ takes_over: process.id, secret: process.secret, executions });
  const begun = async (): Promise<GivenExecution> => {
    const held = await givenExecution(db, runner, { processId: process.id });
    await db`
      update runner_job_executions set status = 'in-progress', confirmed_at = svc_now()
       where id = ${held.executionId}`;
    return held;
  };
  const beat = async (executions: readonly string[], processId = process.id) => {
    const said = { aliveTime: 5e9, version: "2.0.0", executions };
    return (await beats({ ...runner, processId, ...said }))?.orders;
  };
  const cancel = async ({ jobId }: GivenExecution): Promise<void> => {
    await db`select * from end_jobs(${runner.orgId}, ${[jobId]}, 'cancel', 'enough')`;
  };
  return { runner, token, register, process, takeOver, begun, beat, cancel };
}

const ours = { type: "install", version: "2.0.0", groups: { deploy: 10 } };

/** The stop grace is over: its slot is free, and nobody waits for it any more. */
async function graceOver(...held: GivenExecution[]): Promise<void> {
  const ids = held.map(({ executionId }) => executionId);
  await db`select confirm_stopped(${ids}, svc_now())`;
  expect(await db`select from stopping_executions where execution_id = any(${ids})`).toHaveLength(
    0,
  );
}

const order = (held: GivenExecution, reason: string): object => ({
  type: "cancel",
  execution_id: held.executionId,
  job_id: held.jobId,
  reason,
});

describe("a beat that names what is over", () => {
  test("is told so however long ago that was, and of nothing that goes on", async () => {
    const { begun, beat, cancel } = await setup();
    const [over, goesOn] = [await begun(), await begun()];
    await cancel(over);
    await graceOver(over);
    const named = [over.executionId, goesOn.executionId];
    expect(await beat(named)).toEqual([order(over, "cancelled")]);
    await advanceClock(db, "2 days");
    expect(await beat([over.executionId])).toContainEqual(order(over, "cancelled"));
    expect(await beat([])).not.toContainEqual(order(over, "cancelled"));
  });

  test("is told of it once while it may still run there", async () => {
    const { begun, beat, cancel } = await setup();
    const over = await begun();
    await cancel(over);
    expect(await beat([over.executionId])).toEqual([order(over, "cancelled")]);
  });

  test("is told of an execution that was lost and has a twin, and not of the twin", async () => {
    const { runner, begun, beat, process, register } = await setup();
    const lost = await begun();
    await db`update runner_job_live set max_executions = 2 where id = ${lost.jobId}`;
    await db`update runner_processes set must_register_anew = true where id = ${process.id}`;
    await db`
      select move_jobs(array[row(${lost.jobId}, 'retry', 'failed', 'broker', 'process lost', null, 'lost', null)::job_move],
                       svc_now())`;
    await graceOver(lost);
    const heir = await register();
    const [twin] = await claim(db, runner, { processId: heir.id });
    expect(twin).toMatchObject({ jobId: lost.jobId });
    expect(await beat([lost.executionId])).toContainEqual(order(lost, "lost"));
    expect(await beat([twin?.executionId ?? ""], heir.id)).toEqual([]);
  });

  test("is told to stop what nobody knows, and what another runner holds, without a word about it", async () => {
    const [mine, other] = [await setup(), await setup()];
    const foreign = await other.begun();
    const named = [foreign.executionId, "exe_of_nobody"];
    expect(await mine.beat(named)).toEqual(
      named.map((id) => ({ type: "cancel", execution_id: id, job_id: "", reason: "lost" })),
    );
    expect(await other.beat([foreign.executionId])).toEqual([]);
  });

  test("among many in one statement is told of its own", async () => {
    const all = await Promise.all(
      Array.from({ length: 10 }, async (_, at) => {
        const given = await setup();
        const held = await given.begun();
        const isOver = at % 2 === 0;
        if (isOver) await given.cancel(held);
        if (isOver) await graceOver(held);
        return { ...given, held, told: isOver ? [order(held, "cancelled")] : [] };
      }),
    );
    const answers = await Promise.all(all.map(({ beat, held }) => beat([held.executionId])));
    expect(answers).toEqual(all.map(({ told }) => told));
  });
});

describe("a registration that says what its host holds", () => {
  test("is told what of that is over, and keeps the rest", async () => {
    const { begun, cancel, takeOver } = await setup();
    const [stopping, over, goesOn] = [await begun(), await begun(), await begun()];
    await cancel(stopping);
    await cancel(over);
    await graceOver(over);
    const named = [stopping, over, goesOn].map(({ executionId }) => executionId);
    const { id, orders } = await takeOver(...named, "exe_of_nobody");
    expect(orders).toEqual([
      order(stopping, "cancelled"),
      order(over, "cancelled"),
      { type: "cancel", execution_id: "exe_of_nobody", job_id: "", reason: "lost" },
    ]);
    const rows = await db`
      select l.process_id, l.status from runner_job_live l where l.id = ${goesOn.jobId}`;
    expect(rows).toEqual([{ process_id: id, status: "in-progress" }]);
  });

  test("gives back at once what it was handed and does not hold, as no attempt", async () => {
    const { runner, process, takeOver, begun } = await setup();
    const [unseen, received] = [
      await givenExecution(db, runner, { processId: process.id }),
      await givenExecution(db, runner, { processId: process.id }),
    ];
    const unnamed = await begun();
    const { id, orders } = await takeOver(received.executionId);
    expect(orders).toEqual([]);
    const states = await db`
      select e.id, e.status, e.confirmed_at is not null as confirmed
        from runner_job_executions e where e.runner_id = ${runner.runnerId} order by e.id`;
    expect(new Map(states.map((row) => [row["id"], [row["status"], row["confirmed"]]]))).toEqual(
      new Map([
        [unseen.executionId, ["not-attempted", false]],
        [received.executionId, ["pending", true]],
        [unnamed.executionId, ["in-progress", true]],
      ]),
    );
    const [again] = await claim(db, runner, { processId: id });
    expect(again?.jobId).toBe(unseen.jobId);
    const [live] = await db`select execution_count from runner_job_live where id = ${unseen.jobId}`;
    expect(live).toEqual({ execution_count: 1 });
    await expectSoundQueues(db);
  });

  test("gives back what a beat has named and nobody holds any more, if it has not begun", async () => {
    const { runner, process, takeOver, beat } = await setup();
    const lost = await givenExecution(db, runner, { processId: process.id });
    await beat([lost.executionId]);
    await takeOver();
    const [before] = await db`
      select status, confirmed_at is not null as was_named from runner_job_executions
       where id = ${lost.executionId}`;
    expect(before).toEqual({ status: "not-attempted", was_named: true });
    const [live] = await db`select status from runner_job_live where id = ${lost.jobId}`;
    expect(live).toEqual({ status: "available" });
    await expectSoundQueues(db);
  });

  test("says the same when its answer was lost and it is asked for again", async () => {
    const { begun, cancel, takeOver } = await setup();
    const [over, goesOn] = [await begun(), await begun()];
    await cancel(over);
    const first = await takeOver(over.executionId, goesOn.executionId);
    const second = await takeOver(over.executionId, goesOn.executionId);
    expect(second.id).not.toBe(first.id);
    expect([first.orders, second.orders]).toEqual([
      [order(over, "cancelled")],
      [order(over, "cancelled")],
    ]);
    const [live] = await db`select process_id from runner_job_live where id = ${goesOn.jobId}`;
    expect(live).toEqual({ process_id: second.id });
  });

  test("hears of a cancel that comes in the same instant, by its answer or by its first beat", async () => {
    for (let round = 0; round < 10; round++) {
      const { begun, cancel, takeOver, beat } = await setup();
      const held = await begun();
      const [heir] = await Promise.all([takeOver(held.executionId), cancel(held)]);
      const told = [...(heir.orders ?? []), ...((await beat([held.executionId], heir.id)) ?? [])];
      expect(told).toContainEqual(order(held, "cancelled"));
    }
  });

  test("of an agent that does not say what it holds keeps what was handed to it", async () => {
    const { runner, process, register } = await setup();
    const unseen = await givenExecution(db, runner, { processId: process.id });
    const heir = await register({ takes_over: process.id, secret: process.secret });
    expect(heir).not.toHaveProperty("orders");
    const [live] =
      await db`select process_id, status from runner_job_live where id = ${unseen.jobId}`;
    expect(live).toEqual({ process_id: heir.id, status: "in-progress" });
  });

  test("may name a thousand", async () => {
    const { runner, token } = await setup();
    const executions = Array.from({ length: 1001 }, (_, nth) => `exe_${nth}`);
    const answer = await call(`POST /v1/runners/${runner.runnerId}/processes`, {
      token,
      body: { ...ours, executions },
    });
    expect(answer.status).toBe(422);
    expect(answer.body["errors"]).toMatchObject([{ pointer: "#/executions" }]);
  });
});

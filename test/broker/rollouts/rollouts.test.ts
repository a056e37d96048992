import { describe, expect, test } from "vitest";
import { cancelRollout } from "../../../broker/rollouts/cancel-rollout.ts";
import { createRollout, type RolloutWish } from "../../../broker/rollouts/create-rollout.ts";
import { listRolloutTargets } from "../../../broker/rollouts/queries.ts";
import { findRollout, type RolloutRow } from "../../../broker/rollouts/rollout-rows.ts";
import { advanceClock, stopClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { sweepAll } from "../../support/database/sweep-all.ts";
import { beat, givenProcess, givenRunner, type GivenRunner } from "../../support/rows/given.ts";
import { givenActor } from "../../support/tokens/given-actor.ts";

const { db } = await testDatabase();
await stopClock(db);

const wish: RolloutWish = {
  groupId: undefined,
  type: "restart",
  maxAtOnce: 1,
  includeLast: false,
  deadlineNs: undefined,
  reason: "new image",
};

/** A runner with this many processes that beat. */
async function given(processes: number): Promise<{ runner: GivenRunner; processes: string[] }> {
  const runner = await givenRunner(db);
  const made: string[] = [];
  for (let count = 0; count < processes; count++) made.push(await givenProcess(db, runner));
  return { runner, processes: made };
}

const start = async ({ orgId, groupId }: GivenRunner, changes: Partial<RolloutWish> = {}) =>
  await createRollout(db, givenActor(orgId), { ...wish, groupId, ...changes });

/** A second passes, in which a broker looks; these processes beat meanwhile. */
async function step(alive: readonly string[] = []): Promise<void> {
  await advanceClock(db, "1 s");
  if (alive.length > 0) await beat(db, [...alive]);
  await sweepAll(db, ["sweep_rollouts"]);
}

const now = async ({ id, org_id: org }: RolloutRow) =>
  await findRollout(db, org as GivenRunner["orgId"], id);
const targets = async ({ id, org_id: org }: RolloutRow) => {
  const page = { after: undefined, limit: 100, offset: 0 };
  const rows = await listRolloutTargets(db, org as GivenRunner["orgId"], { rolloutId: id }, page);
  return rows.map(({ process_id, status, status_description: why }) => [process_id, status, why]);
};

/** The process shuts down as it was asked to, and another one of its runner beats in its place. */
async function restart(runner: GivenRunner, process: string): Promise<string> {
  await leave(process);
  await advanceClock(db, "1 ms");
  return await givenProcess(db, runner);
}
const leave = async (process: string): Promise<void> => {
  await db`select process_goes_down(${process}, 'shut-down', '')`;
};

describe("a rollout", () => {
  test("restarts the processes of a group one after another, each when the one before is back", async () => {
    const { runner, processes } = await given(3);
    const made = await start(runner);
    const order = (await targets(made)).map(([process]) => String(process));
    expect(new Set(order)).toEqual(new Set(processes));
    let alive = [...processes];
    for (const process of order) {
      await step(alive);
      const asked = (await targets(made)).filter(([, status]) => status === "ordered");
      expect(asked).toEqual([[process, "ordered", ""]]);
      await step(alive);
      expect((await targets(made)).filter(([, status]) => status === "ordered")).toEqual(asked);
      alive = [...alive.filter((one) => one !== process), await restart(runner, process)];
    }
    await step(alive);
    expect(await now(made)).toMatchObject({
      status: "completed",
      status_description: "3 done, 0 skipped, 0 failed",
    });
  });

  test("never takes the last live process of a runner, unless it is told to", async () => {
    const { runner, processes } = await given(1);
    const spared = await start(runner);
    await step(processes);
    expect(await targets(spared)).toEqual([
      [processes[0], "skipped", "it was the last live process of its runner"],
    ]);
    expect((await now(spared))?.status).toBe("completed");
    const told = await start(runner, { includeLast: true });
    await step(processes);
    expect((await now(told))?.counts).toMatchObject({ ordered: 1 });
  });

  test("asks at most so many at once, and never two of one runner", async () => {
    const first = await given(3);
    const others: string[] = [];
    for (let count = 0; count < 3; count++) {
      const runner = await givenRunner(db, { orgId: first.runner.orgId });
      others.push(await givenProcess(db, runner), await givenProcess(db, runner));
    }
    const made = await start(first.runner, { groupId: undefined, maxAtOnce: 3, type: "graceful" });
    await step([...first.processes, ...others]);
    const [row] = await db<{ ordered: number; runners: number }[]>`
      select count(*)::int as ordered, count(distinct runner_id)::int as runners
        from runner_rollout_targets where rollout_id = ${made.id} and status = 'ordered'`;
    expect(row).toEqual({ ordered: 3, runners: 3 });
  });

  test("asks a runner that is free, however many of a busy one wait before it", async () => {
    const busy = await given(2);
    const free = await givenRunner(db, { orgId: busy.runner.orgId });
    const others = [await givenProcess(db, free), await givenProcess(db, free)];
    const made = await start(busy.runner, { maxAtOnce: 1000, type: "graceful" });
    await step([...busy.processes, ...others]);
    await db`
      insert into runner_rollout_targets (rollout_id, position, org_id, runner_id, process_id, shutdown_id)
      select ${made.id}, 10 + n, ${made.org_id}, ${busy.runner.runnerId}, 'prc_busy' || n, 'shd_busy' || n
        from generate_series(1, 600) n`;
    await db`
      insert into runner_rollout_targets (rollout_id, position, org_id, runner_id, process_id, shutdown_id)
      select ${made.id}, 1000 + n, ${made.org_id}, ${free.runnerId}, p.id, 'shd_free' || n
        from unnest(${others}::text[]) with ordinality p (id, n)`;
    await step([...busy.processes, ...others]);
    const [row] = await db<{ ordered: number; runners: number }[]>`
      select count(*)::int as ordered, count(distinct runner_id)::int as runners
        from runner_rollout_targets where rollout_id = ${made.id} and status = 'ordered'`;
    expect(row).toEqual({ ordered: 2, runners: 2 });
  });

  test("ends after the first failure, and asks nobody else", async () => {
    const { runner, processes } = await given(3);
    const made = await start(runner);
    await step(processes);
    const [[asked]] = (await targets(made)).filter(([, status]) => status === "ordered") as [
      [string],
    ];
    await leave(asked);
    const rest = processes.filter((one) => one !== asked);
    await advanceClock(db, "4 min");
    await step(rest);
    expect((await now(made))?.status).toBe("in-progress");
    await advanceClock(db, "61 s");
    await step(rest);
    expect(await now(made)).toMatchObject({
      status: "failed",
      status_description: "0 done, 2 skipped, 1 failed",
    });
    expect(await targets(made)).toContainEqual([
      asked,
      "failed",
      "no new process of its runner came within 5 min",
    ]);
  });

  test("skips who went away by himself, and who shuts down already", async () => {
    const { runner, processes } = await given(3);
    const made = await start(runner, { maxAtOnce: 3 });
    const [gone = "", leaving = ""] = processes;
    await leave(gone);
    await db`select * from order_shutdowns(${[leaving]}, array['shd_x'], 'graceful', '1 hour', 'me', '')`;
    await step(processes.slice(1));
    const byProcess = new Map((await targets(made)).map(([process, ...rest]) => [process, rest]));
    expect(byProcess.get(gone)).toEqual(["skipped", "it was gone already"]);
    expect(byProcess.get(leaving)).toEqual(["skipped", "it was shutting down already"]);
  });

  test("that is called off asks nobody else, and is over when those that were asked are", async () => {
    const { runner, processes } = await given(3);
    const made = await start(runner);
    await step(processes);
    const [[asked]] = (await targets(made)).filter(([, status]) => status === "ordered") as [
      [string],
    ];
    const by = { orgId: runner.orgId, id: "acc_2" };
    const called = await cancelRollout(db, by, made.id);
    expect(called).toMatchObject({ status: "in-progress", cancelled_by_id: "acc_2" });
    expect(called.counts).toMatchObject({ ordered: 1, skipped: 2 });
    await restart(runner, asked);
    await step(processes.filter((one) => one !== asked));
    expect((await now(made))?.status).toBe("cancelled");
    expect(await cancelRollout(db, by, made.id)).toMatchObject({ status: "cancelled" });
  });

  test("is one at a time: a second for the same runners is refused, and names the first", async () => {
    const { runner } = await given(2);
    const made = await Promise.allSettled([1, 2, 3].map(() => start(runner)));
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await expect(start(runner, { groupId: undefined })).rejects.toMatchObject({
      status: 409,
      code: "rollout_open",
    });
  });

  test("of nobody is refused", async () => {
    const runner = await givenRunner(db);
    await expect(start(runner)).rejects.toMatchObject({ status: 409, code: "no_live_process" });
    const other = await givenRunner(db);
    await expect(start(runner, { groupId: other.groupId })).rejects.toMatchObject({ status: 404 });
  });

  test("takes each step once, however many brokers look at the same moment", async () => {
    const { runner, processes } = await given(4);
    const made = await start(runner, { type: "graceful" });
    await advanceClock(db, "1 s");
    await beat(db, processes);
    await Promise.all([1, 2, 3, 4, 5].map(() => sweepAll(db, ["sweep_rollouts"])));
    expect((await now(made))?.counts).toMatchObject({ ordered: 1, waiting: 3 });
    const [row] = await db<{ orders: number }[]>`
      select count(*)::int as orders from runner_process_shutdowns where runner_id = ${runner.runnerId}`;
    expect(row?.orders).toBe(1);
  });
});

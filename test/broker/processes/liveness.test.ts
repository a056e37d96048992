import { describe, expect, test } from "vitest";
import { advanceClock, stopClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import {
  beat,
  claim,
  type GivenRunner,
  givenExecution,
  givenJob,
  givenProcess,
  givenRunner,
} from "../../support/rows/given.ts";

const { db } = await testDatabase();
await stopClock(db);

async function sweep(): Promise<void> {
  await db`select sweep_processes(100)`;
}

/** Time passes while brokers listen: sweeps run as they would. */
async function pass(seconds: number): Promise<void> {
  for (let at = 0; at < seconds; at += 10) {
    await advanceClock(db, `${Math.min(10, seconds - at)} s`);
    await sweep();
  }
}

async function statusOf(processId: string): Promise<string> {
  const [row] = await db<
    { status: string }[]
  >`select status from runner_processes where id = ${processId}`;
  return row?.status ?? "none";
}

async function runnerStatus({ runnerId }: GivenRunner): Promise<string> {
  const [row] = await db<{ status: string }[]>`select status from runners where id = ${runnerId}`;
  return row?.status ?? "none";
}

async function jobStatus(jobId: string): Promise<string> {
  const [row] = await db<{ status: string }[]>`
    select status from runner_job_live where id = ${jobId}
    union all select status from runner_job_ends where runner_job_id = ${jobId}`;
  return row?.status ?? "none";
}

async function historyOf(id: string): Promise<string[]> {
  const rows = await db<
    { status: string }[]
  >`select status from status_history where owner_id = ${id} order by seq`;
  return rows.map(({ status }) => status);
}

/** An execution that runs for an hour, so that only a loss can end it here. */
async function givenRunning(runner: GivenRunner, processId: string) {
  const given = await givenExecution(db, runner, { processId, job: { type: "terraform-deploy" } });
  await db`
    update runner_job_executions set status = 'in-progress', confirmed_at = created_at where id = ${given.executionId}`;
  return given;
}

async function givenPending(runner: GivenRunner): Promise<string> {
  const id = `prc_${runner.runnerId.slice(4)}`;
  await db`
    select register_process(${runner.orgId}, ${runner.runnerId}, ${id}, 'install', '1', false, '{"deploy": 1}', null,
                            null, null)`;
  return id;
}

describe("a process that never beats", () => {
  test("is offline 60 s after it registered and inactive after five minutes", async () => {
    const runner = await givenRunner(db);
    const id = await givenPending(runner);
    expect(await runnerStatus(runner)).toBe("awaiting-heartbeat");
    await pass(59.999);
    expect(await statusOf(id)).toBe("pending");
    await pass(0.001);
    expect(await statusOf(id)).toBe("offline");
    await pass(239.999);
    expect(await statusOf(id)).toBe("offline");
    await pass(0.001);
    expect(await statusOf(id)).toBe("inactive");
    expect(await historyOf(id)).toEqual(["pending", "offline", "inactive"]);
    expect(await runnerStatus(runner)).toBe("awaiting-heartbeat");
  });

  test("is offered jobs as soon as it registers, and its first beat makes it and its runner active", async () => {
    const runner = await givenRunner(db);
    const jobId = await givenJob(db, runner);
    expect(await jobStatus(jobId)).toBe("queued");
    const id = await givenPending(runner);
    expect(await jobStatus(jobId)).toBe("available");
    await beat(db, [id]);
    expect(await statusOf(id)).toBe("active");
    expect(await runnerStatus(runner)).toBe("active");
  });
});

describe("a process that falls silent", () => {
  test("keeps its executions until five minutes are over, and loses them then", async () => {
    const runner = await givenRunner(db);
    const id = await givenProcess(db, runner);
    const { jobId } = await givenRunning(runner, id);
    await pass(240);
    expect([await statusOf(id), await jobStatus(jobId)]).toEqual(["offline", "in-progress"]);
    expect(await runnerStatus(runner)).toBe("offline");
    await pass(59.999);
    expect([await statusOf(id), await jobStatus(jobId)]).toEqual(["offline", "in-progress"]);
    await pass(0.001);
    expect([await statusOf(id), await jobStatus(jobId)]).toEqual(["inactive", "failed"]);
    const [end] =
      await db`select status_description from runner_job_ends where runner_job_id = ${jobId}`;
    expect(end).toEqual({ status_description: "process lost" });
    const [told] = await db<{ key: string }[]>`
      select key from graphile_worker.jobs where key = ${`runner-inactive:${id}`}`;
    expect(told?.key).toBeDefined();
  });

  test("is given nothing from the 60th second on", async () => {
    const runner = await givenRunner(db);
    await givenProcess(db, runner);
    await pass(60);
    expect(await jobStatus(await givenJob(db, runner))).toBe("queued");
  });

  test("and beats again before five minutes is active with all that it held", async () => {
    const runner = await givenRunner(db);
    const id = await givenProcess(db, runner);
    const { jobId } = await givenRunning(runner, id);
    await pass(299.999);
    await beat(db, [id]);
    expect([await statusOf(id), await jobStatus(jobId)]).toEqual(["active", "in-progress"]);
    await pass(59.999);
    expect(await statusOf(id)).toBe("active");
    expect(await historyOf(id)).toEqual(["pending", "active", "offline", "active"]);
  });

  test("and beats again after it was given up on lives, but what it lost stays lost", async () => {
    const runner = await givenRunner(db);
    const [ours, other] = [
      await givenProcess(db, runner),
      await givenProcess(db, await givenRunner(db), { isOurs: false }),
    ];
    const { jobId } = await givenRunning(runner, ours);
    await pass(300);
    await beat(db, [ours, other]);
    expect([await statusOf(ours), await statusOf(other)]).toEqual(["active", "active"]);
    expect(await jobStatus(jobId)).toBe("failed");
    const rows = await db`
      select is_ours, must_register_anew from runner_processes where id in (${ours}, ${other}) order by is_ours`;
    expect(rows).toEqual([
      { is_ours: false, must_register_anew: false },
      { is_ours: true, must_register_anew: true },
    ]);
    await givenJob(db, runner);
    expect(await claim(db, runner, { processId: ours })).toEqual([]);
  });

  test("takes nothing from another process of the runner with it", async () => {
    const runner = await givenRunner(db, { parallelism: { deploy: 2 } });
    const [dying, living] = [await givenProcess(db, runner), await givenProcess(db, runner)];
    const lost = await givenRunning(runner, dying);
    const kept = await givenRunning(runner, living);
    for (let at = 0; at < 30; at++) {
      await pass(10);
      await beat(db, [living]);
    }
    expect([await statusOf(dying), await statusOf(living)]).toEqual(["inactive", "active"]);
    expect([await jobStatus(lost.jobId), await jobStatus(kept.jobId)]).toEqual([
      "failed",
      "in-progress",
    ]);
    expect(await runnerStatus(runner)).toBe("active");
  });

  test("beats of a management process alone do not make a runner active", async () => {
    const runner = await givenRunner(db);
    const id = await givenProcess(db, runner);
    const mng = await givenProcess(db, runner, { type: "mng", serves: { management: 1 } });
    await pass(50);
    await beat(db, [mng]);
    await pass(20);
    expect([await statusOf(id), await statusOf(mng)]).toEqual(["offline", "active"]);
    const [row] = await db`select status, warnings from runners where id = ${runner.runnerId}`;
    expect(row).toEqual({
      status: "offline",
      warnings: ["only a management process is alive: nothing takes jobs"],
    });
  });
});

describe("an absence of all brokers", () => {
  /** No broker marks that it listens while this time passes. */
  async function absence(interval: string): Promise<void> {
    await advanceClock(db, interval);
    await db`update broker_listening set marked_at = marked_at - ${interval}::interval`;
    await db`select mark_listening()`;
  }

  test("of more than 15 s starts the clocks of silence anew", async () => {
    const runner = await givenRunner(db);
    const id = await givenProcess(db, runner);
    const { jobId } = await givenRunning(runner, id);
    await absence("20 minutes");
    await sweep();
    expect([await statusOf(id), await jobStatus(jobId)]).toEqual(["active", "in-progress"]);
    await pass(59.999);
    expect(await statusOf(id)).toBe("active");
    await pass(0.001);
    expect(await statusOf(id)).toBe("offline");
    await pass(239.999);
    expect(await jobStatus(jobId)).toBe("in-progress");
    await pass(0.001);
    expect([await statusOf(id), await jobStatus(jobId)]).toEqual(["inactive", "failed"]);
  });

  test.each([
    ["15 s", "offline"],
    ["15.001 s", "active"],
  ])("of %s leaves a process of 50 s of silence %s", async (interval, status) => {
    const id = await givenProcess(db, await givenRunner(db));
    await pass(50);
    await absence(interval);
    await sweep();
    expect(await statusOf(id)).toBe(status);
  });

  test("is noticed by a sweep, too, that comes before the first mark", async () => {
    const id = await givenProcess(db, await givenRunner(db));
    await advanceClock(db, "10 minutes");
    await db`update broker_listening set marked_at = marked_at - interval '10 minutes'`;
    await sweep();
    expect(await statusOf(id)).toBe("active");
  });
});

import { describe, expect, test } from "vitest";
import { newRandomId } from "../../../broker/database/new-id.ts";
import { type Beats, makeBeats } from "../../../broker/processes/beat-processes.ts";
import { rollUpBeats } from "../../../broker/processes/roll-up-beats.ts";
import { makeWakes } from "../../../broker/wake/wakes.ts";
import { advanceClock, stopClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { directHotPath } from "../../support/database/direct-hot-path.ts";
import {
  beat,
  claim,
  givenExecution,
  givenJob,
  givenProcess,
  givenRunner,
} from "../../support/rows/given.ts";

const { db } = await testDatabase();
await stopClock(db);
const told: string[] = [];
const beats: Beats = makeBeats(
  directHotPath(db),
  makeWakes((topics) => void told.push(...topics)),
);

async function setup(isOurs = true) {
  const runner = await givenRunner(db);
  const processId = await givenProcess(db, runner, { isOurs });
  return { ...runner, processId };
}

const said = { aliveTime: 5e9, version: "1.2.3" };

describe("beats", () => {
  test("many at once are each answered, and stored once each", async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => setup()));
    const answers = await Promise.all(all.map((process) => beats({ ...process, ...said })));
    expect(answers.map((answer) => answer?.status)).toEqual(all.map(() => "active"));
    const rows = await db`
      select beats, alive_time, version from runner_process_beats
       where process_id = any(${all.map(({ processId }) => processId)})`;
    expect(rows).toHaveLength(20);
    for (const row of rows) expect(row).toEqual({ beats: 2, alive_time: 5e9, version: "1.2.3" });
  });

  test("of a process under another runner or org, or of none, find nothing and change nothing", async () => {
    const [mine, other] = [await setup(), await setup()];
    const before =
      await db`select * from runner_process_beats where process_id = ${other.processId}`;
    const answers = await Promise.all([
      beats({ ...mine, ...said }),
      beats({ ...mine, processId: other.processId, ...said, executions: [] }),
      beats({ ...other, orgId: mine.orgId, ...said }),
      beats({ ...mine, processId: newRandomId("prc"), ...said }),
    ]);
    expect(answers.map((answer) => answer?.status)).toEqual([
      "active",
      undefined,
      undefined,
      undefined,
    ]);
    expect(
      await db`select * from runner_process_beats where process_id = ${other.processId}`,
    ).toEqual(before);
  });

  test("a mere sign of life keeps a process alive and counts no beat", async () => {
    const { processId, ...runner } = await setup();
    await advanceClock(db, "60 s");
    await db`select sweep_processes(100)`;
    const answer = await beats({ ...runner, processId });
    expect(answer?.status).toBe("active");
    expect(answer?.orders).toEqual([]);
    const [row] = await db`select beats from runner_process_beats where process_id = ${processId}`;
    expect(row).toEqual({ beats: 1 });
  });

  test("one that names no longer what was cancelled frees its slot, and says what is on offer now", async () => {
    const runner = await givenRunner(db);
    const processId = await givenProcess(db, runner);
    const held = await givenExecution(db, runner, { processId });
    await db`update runner_job_executions set status = 'in-progress' where id = ${held.executionId}`;
    await db`select * from end_jobs(${runner.orgId}, ${[held.jobId]}, 'cancel', 'enough')`;
    await givenJob(db, runner);
    expect(await claim(db, runner, { processId })).toEqual([]);
    const named = await beats({ ...runner, processId, ...said, executions: [held.executionId] });
    expect(named?.orders).toEqual([
      { type: "cancel", execution_id: held.executionId, job_id: held.jobId, reason: "cancelled" },
    ]);
    expect(await claim(db, runner, { processId })).toEqual([]);
    told.length = 0;
    const silent = await beats({ ...runner, processId, ...said });
    expect(silent?.orders).toHaveLength(1);
    const gone = await beats({ ...runner, processId, ...said, executions: [] });
    expect(gone?.orders).toEqual([]);
    expect(told).toEqual([`queue:${runner.runnerId}`, `org:${runner.orgId}`]);
    expect(await claim(db, runner, { processId })).toHaveLength(1);
  });

  test("one that names an execution confirms that it was received", async () => {
    const runner = await givenRunner(db);
    const processId = await givenProcess(db, runner);
    const { executionId } = await givenExecution(db, runner, { processId });
    await beats({
      ...runner,
      processId,
      ...said,
      executions: [executionId, "exe_of_somebody_else"],
    });
    const [row] = await db`
      select confirmed_at is not null as confirmed from runner_job_executions where id = ${executionId}`;
    expect(row).toEqual({ confirmed: true });
  });

  test("an agent that was given up on comes back, and is ordered to register anew", async () => {
    const { processId, ...runner } = await setup();
    await advanceClock(db, "300 s");
    await db`select sweep_processes(100)`;
    const answer = await beats({ ...runner, processId, ...said });
    expect(answer).toMatchObject({ status: "active", orders: [{ type: "re-register" }] });
  });

  test("are rolled up once a minute, with the total at its end", async () => {
    const minute = async (): Promise<number> => {
      const [row] = await db<{ at: Date }[]>`select date_trunc('minute', svc_now()) as at`;
      return row?.at.getTime() ?? 0;
    };
    const { processId } = await setup();
    const first = await minute();
    await beat(db, [processId]);
    await advanceClock(db, "1 minute");
    await rollUpBeats(db);
    await rollUpBeats(db);
    await advanceClock(db, "1 minute");
    await rollUpBeats(db);
    await beat(db, [processId]);
    await advanceClock(db, "1 minute");
    await rollUpBeats(db);
    const rows = await db<{ beats: number; minute_bucket: Date }[]>`
      select beats, minute_bucket from runner_beat_minutes where process_id = ${processId} order by minute_bucket`;
    expect(rows.map((row) => [row.beats, row.minute_bucket.getTime()])).toEqual([
      [2, first],
      [3, first + 120_000],
    ]);
  });
});

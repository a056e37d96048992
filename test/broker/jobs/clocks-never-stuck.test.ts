import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import type { Db } from "../../../broker/database/connect.ts";
import { secondNs } from "../../../shared/duration.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { expectSoundQueues } from "../../support/database/expect-sound-queues.ts";
import { sweepAll } from "../../support/database/sweep-all.ts";
import { walks } from "../../support/model/walks.ts";
import { claim, givenJob, givenProcess, givenRunner, report } from "../../support/rows/given.ts";

let db: Db;
beforeAll(async () => {
  ({ db } = await testDatabase());
});

const seconds = (max: number) => fc.integer({ min: 1, max }).map((n) => n * secondNs);
const plannedJob = fc.record({
  type: fc.constantFrom("noop-deploy", "terraform-deploy", "job-deploy"),
  queueTimeout: seconds(400),
  availableTimeout: seconds(90),
  executionTimeout: seconds(400),
  maxExecutions: fc.integer({ min: 1, max: 3 }),
  overallTimeout: fc.option(seconds(900), { nil: 0 }),
  /** How far its first execution gets. */
  reached: fc.constantFrom(null, "pending", "initializing", "in-progress", "cleaning-up"),
});
const scene = fc.record({
  slots: fc.integer({ min: 0, max: 3 }),
  jobs: fc.array(plannedJob, { minLength: 1, maxLength: 6 }),
  taken: fc.integer({ min: 0, max: 4 }),
  dies: fc.constantFrom("silently", "by saying so"),
});

type Waiting = { next: Date | null; live: number; overdue: number };
const waiting = async (): Promise<Waiting> => {
  const [row] = await db<Waiting[]>`
    select (select count(*) from runner_job_live) as live,
           (select count(*) from runner_job_live where overall_at + interval '62 s' < svc_now()) as overdue,
           (select min(d) from (select deadline_at as d from runner_job_live union all
                                select deadline_at from stopping_executions) d) as next`;
  if (row === undefined) throw new Error("no row");
  return row;
};

/** Time passes from deadline to deadline, and nobody is there but the sweeps. */
async function passAllDeadlines(): Promise<number> {
  for (let steps = 0; ; steps += 1) {
    const { next, live, overdue } = await waiting();
    if (live === 0) return steps;
    // A short queue timeout comes round many times: what bounds a job is its overall timeout, not a number of steps.
    if (next === null || overdue > 0)
      throw new Error(`${live} jobs are stuck after ${steps} deadlines`);
    const [row] = await db<{ ms: number }[]>`
      select greatest(1, ceil(extract(epoch from ${next.toISOString()}::timestamptz - svc_now()) * 1000))::int as ms`;
    await advanceClock(db, `${row?.ms} ms`);
    await sweepAll(db);
  }
}

test("whatever has begun, every job ends by its clocks alone, and every row waits for a deadline", async () => {
  await fc.assert(
    fc.asyncProperty(scene, async ({ slots, jobs, taken, dies }) => {
      const runner = await givenRunner(db, { parallelism: { deploy: slots } });
      const processId = await givenProcess(db, runner, { serves: { deploy: 3 } });
      const ids = [];
      for (const { reached: _, ...job } of jobs) ids.push(await givenJob(db, runner, job));
      const held = taken === 0 ? [] : await claim(db, runner, { processId, want: taken });
      for (const [at, { executionId }] of held.entries()) {
        const status = jobs[at]?.reached ?? null;
        if (status !== null) await report(db, runner, { executionId, status });
      }
      if (dies === "by saying so")
        await db`select process_goes_down(${processId}, 'shut-down', '')`;
      await expectSoundQueues(db);
      await passAllDeadlines();
      await expectSoundQueues(db);
      const [ended] = await db<{ n: number }[]>`
        select count(*) as n from runner_job_ends where runner_job_id = any(${ids})
           and finished_at <= created_at + (select max(ns(overall_timeout)) from runner_jobs where id = runner_job_id) + interval '62 s'`;
      expect(ended?.n).toBe(ids.length);
    }),
    walks(20),
  );
});

import { expect, test, vi } from "vitest";
import { tasks } from "../../../broker/tasks/registry.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenJob, givenProcess, givenRunner } from "../../support/rows/given.ts";
import { waitLimitMs } from "../../support/run/hang-limits.ts";

const { url, db } = await testDatabase();
const brokers = [
  await startBroker({ url, hasCron: true }),
  await startBroker({ url, hasCron: true }),
];

/** Resolves when graphile-worker has nothing left of the task: a job that is done is deleted. */
async function run(name: string): Promise<void> {
  await db`select graphile_worker.add_job(${name}, job_key := ${`test:${name}`})`;
  await vi.waitFor(
    async () => {
      expect(await db`select from graphile_worker.jobs where key = ${`test:${name}`}`).toHaveLength(
        0,
      );
    },
    { timeout: waitLimitMs, interval: 20 },
  );
}

test("a process that was given up on is told once, by one of the brokers", async () => {
  const runner = await givenRunner(db);
  const processId = await givenProcess(db, runner);
  await advanceClock(db, "301 s");
  await db`select sweep_processes(100)`;
  const told = () =>
    brokers
      .flatMap(({ logged }) => logged)
      .map((line) => JSON.parse(line) as { msg: string; process_id?: string })
      .filter(({ msg }) => msg === "a process was offline for too long; its executions are lost");
  await vi.waitFor(() => expect(told()).toHaveLength(1), { timeout: waitLimitMs, interval: 20 });
  expect(told()[0]).toMatchObject({ process_id: processId, runner_id: runner.runnerId });
});

test("an org's own retention is kept by a task that says what it deleted; another org's things stay", async () => {
  const [mine, other] = [await givenRunner(db), await givenRunner(db)];
  await db`update orgs set retain_jobs_days = 7 where id = ${mine.orgId}`;
  const ended: string[] = [];
  for (const runner of [mine, other]) {
    const jobId = await givenJob(db, runner);
    await db`select * from end_jobs(${runner.orgId}, ${[jobId]}, 'cancel', '')`;
    ended.push(jobId);
  }
  const left = async () =>
    (await db<{ id: string }[]>`select id from runner_jobs where id = any(${ended})`).map(
      ({ id }) => id,
    );
  await run("delete-by-org");
  expect((await left()).toSorted()).toEqual(ended.toSorted());
  await advanceClock(db, "8 days");
  await run("delete-by-org");
  expect(await left()).toEqual(ended.slice(1));
  const told = brokers
    .flatMap(({ logged }) => logged)
    .map((line) => JSON.parse(line) as { msg: string; deleted?: object })
    .filter(({ msg }) => msg === "old things of orgs were deleted");
  expect(told.map(({ deleted }) => deleted)).toEqual([{ jobs: 1 }]);
});

test("every task runs to its end, and is counted", async () => {
  const runner = await givenRunner(db);
  const jobId = await givenJob(db, runner);
  await db`select * from end_jobs(${runner.orgId}, ${[jobId]}, 'cancel', '')`;
  await advanceClock(db, "91 days");
  for (const [name, { cron }] of Object.entries(tasks)) if (cron !== undefined) await run(name);
  expect(await db`select from runner_jobs where id = ${jobId}`).toHaveLength(0);
  const text = brokers.map(({ broker }) => broker.metrics.text()).join("\n");
  expect(text).not.toContain('result="failed"');
  expect(text).toContain('svc_tasks_total{task="delete-old-jobs",result="done"}');
});

test("what is due by the clock is known to the database once for all brokers", async () => {
  const rows = await db<{ identifier: string }[]>`
    select identifier from graphile_worker._private_known_crontabs order by identifier`;
  const due = Object.entries(tasks).flatMap(([name, { cron }]) =>
    cron === undefined ? [] : [name],
  );
  expect(rows.map(({ identifier }) => identifier)).toEqual(due.toSorted());
});

test("a broker that has stopped has no connection left, whenever it was stopped", async () => {
  const own = await testDatabase();
  const connections = async () => {
    const rows = await own.db<{ query: string }[]>`
      select query from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
    return rows.map(({ query }) => query);
  };
  for (let turn = 0; turn < 5; turn++) {
    const { stop } = await startBroker({ url: own.url, hasCron: true });
    await stop();
    await expect.poll(connections).toEqual([]);
  }
});

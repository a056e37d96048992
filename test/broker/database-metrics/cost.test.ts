import { expect, test } from "vitest";
import {
  findLongestSilence,
  listGroupFigures,
  listOldestWaiting,
  listRunnerCounts,
  listTallies,
} from "../../../broker/database-metrics/queries.ts";
import { connect, type Db } from "../../../broker/database/connect.ts";
import { testDatabase } from "../../support/database/database.ts";
import { claim, givenJobs, givenProcess, givenRunner } from "../../support/rows/given.ts";

/** What was read so far of the tables that grow with the jobs. */
async function reads(db: Db): Promise<{ scans: number; indexRows: number }> {
  await db`select pg_stat_force_next_flush()`;
  const [row] = await db<{ scans: number; indexRows: number }[]>`
    select (select sum(seq_scan) from pg_stat_user_tables where relname = any(${jobTables}))::int as scans,
           (select sum(idx_tup_read) from pg_stat_user_indexes where relname = any(${jobTables}))::int as "indexRows"`;
  if (row === undefined) throw new Error("the database keeps no statistics");
  return row;
}

/** More jobs that wait like this one, in its queue. */
async function multiply(db: Db, job: string, times: number): Promise<void> {
  await db`
    with more as (
      select ${job}::text || n as id from generate_series(1, ${times}::int) n
    ), facts as (
      insert into runner_jobs
      select f.* from more
       cross join runner_jobs j, jsonb_populate_record(j, jsonb_build_object('id', more.id)) f
       where j.id = ${job}
    ), live as (
      insert into runner_job_live
      select f.* from more
       cross join runner_job_live l, jsonb_populate_record(l, jsonb_build_object('id', more.id)) f
       where l.id = ${job}
    )
    update runner_queues q set waiting = waiting + ${times}
      from runner_jobs j where j.id = ${job} and q.runner_id = j.runner_id and q.job_group = j.job_group`;
}

const jobTables = ["runner_job_live", "runner_jobs", "runner_job_ends", "runner_job_events"];

test("the figures of a hundred thousand live jobs are read from counters and a few index entries", async () => {
  const { url, db } = await testDatabase();
  for (let at = 0; at < 10; at++) {
    const runner = await givenRunner(db, { parallelism: { deploy: 5 }, maxDepth: 100_000 });
    const processId = await givenProcess(db, runner, { serves: { deploy: 5 } });
    const jobs = await givenJobs(db, runner, [{}, {}, {}, {}, {}, {}]);
    await multiply(db, jobs.at(-1) ?? "", 9_994);
    await claim(db, runner, { processId, want: 3 });
  }
  await db`analyze`;
  const one = connect(url, { max: 1 });
  const before = await reads(one);
  const groups = await listGroupFigures(one);
  const oldest = await listOldestWaiting(one);
  await Promise.all([listRunnerCounts(one), findLongestSilence(one), listTallies(one)]);
  const after = await reads(one);
  await one.end();
  expect(groups.find(({ job_group }) => job_group === "deploy")).toMatchObject({
    queued: 99_950,
    available: 20,
    in_progress: 30,
    capacity: 50,
  });
  expect(oldest).toHaveLength(1);
  expect(after.scans - before.scans).toBe(0);
  expect(after.indexRows - before.indexRows).toBeLessThan(200);
});

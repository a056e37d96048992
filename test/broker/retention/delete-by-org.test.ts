import { beforeEach, describe, expect, test } from "vitest";
import { connect } from "../../../broker/database/connect.ts";
import type { OrgId } from "../../../broker/orgs/org-id.ts";
import { deleteByOrg } from "../../../broker/retention/delete-by-org.ts";
import { deleteOldJobs } from "../../../broker/retention/delete-old-jobs.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { explaining, relationsOf, walksOf } from "../../support/database/explain.ts";
import { untilOneWaits } from "../../support/database/until-one-waits.ts";
import {
  type GivenRunner,
  givenExecution,
  givenJob,
  givenJobs,
  givenProcess,
  givenRunner,
  report,
} from "../../support/rows/given.ts";

const database = await testDatabase();
const { url, db } = database;
const { signal } = new AbortController();
const run = (batch = 2) => deleteByOrg(db, { signal, batch });

let mine: GivenRunner;
let other: GivenRunner;
beforeEach(async () => {
  await db`update orgs set retain_jobs_days = null`;
  [mine, other] = [await givenRunner(db), await givenRunner(db)];
});

const keep = ({ orgId }: GivenRunner, days: number) =>
  db`update orgs set retain_jobs_days = ${days} where id = ${orgId}`;

async function idsOf(table: string, { orgId }: { readonly orgId: OrgId }): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select id from ${db(table)} where org_id = ${orgId} order by id`;
  return rows.map(({ id }) => id);
}

/** Jobs that ran, with plans, results and outputs. */
async function givenEnded(runner: GivenRunner, count: number): Promise<string[]> {
  const processId = await givenProcess(db, runner);
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const job = { plan: '{"a":1}' };
    const { jobId, executionId } = await givenExecution(db, runner, { processId, job });
    const result = { success: true };
    await report(db, runner, { executionId, status: "finished", result, outputs: { a: 1 } });
    await report(db, runner, { executionId, status: "failed", result: { success: false } });
    ids.push(jobId);
  }
  return ids;
}

const cancel = ({ orgId }: GivenRunner, ids: readonly string[]) =>
  db`select count(*) from end_jobs(${orgId}, ${ids as string[]}, 'cancel', 'enough')`;

const tablesOfJobs = [
  "runner_job_plans",
  "runner_job_ends",
  "runner_job_executions",
  "runner_job_execution_results",
  "runner_job_execution_outputs",
  "runner_job_execution_evidence",
  "runner_job_events",
];

const countsOf = async ({ orgId }: GivenRunner) =>
  await Promise.all(
    tablesOfJobs.map(async (table) => {
      const rows = await db`select from ${db(table)} where org_id = ${orgId}`;
      return [table, rows.length] as const;
    }),
  );

describe("jobs of an org that keeps them for a week", () => {
  test("go with all that belongs to them; live ones, young ones and another org's stay", async () => {
    await givenEnded(mine, 5);
    await givenEnded(other, 3);
    const [live, endsLate] = [await givenJob(db, mine), await givenJob(db, mine)];
    const before = await countsOf(other);
    await advanceClock(db, "8 days");
    await cancel(mine, [endsLate]);
    const [young = ""] = await givenJobs(db, mine, [{}]);
    await cancel(mine, [young]);
    expect(await run()).toEqual({});
    await keep(mine, 9);
    expect(await run()).toEqual({});
    await keep(mine, 7);
    expect(await run()).toEqual({ jobs: 5 });
    expect(await idsOf("runner_jobs", mine)).toEqual([live, endsLate, young].toSorted());
    expect(Object.fromEntries(await countsOf(mine))).toMatchObject({
      runner_job_plans: 0,
      runner_job_executions: 0,
      runner_job_execution_results: 0,
      runner_job_execution_outputs: 0,
      runner_job_execution_evidence: 0,
      runner_job_ends: 2,
    });
    expect(await countsOf(other)).toEqual(before);
    expect(await idsOf("runner_jobs", other)).toHaveLength(3);
    expect(await run()).toEqual({});
    await advanceClock(db, "8 days");
    expect(await run(1)).toEqual({ jobs: 2 });
    expect(await idsOf("runner_jobs", mine)).toEqual([live]);
  });

  test("stay while an execution of theirs is stopping", async () => {
    const processId = await givenProcess(db, mine);
    const { jobId, executionId } = await givenExecution(db, mine, { processId });
    await report(db, mine, { executionId, status: "in-progress" });
    await cancel(mine, [jobId]);
    await advanceClock(db, "8 days");
    await keep(mine, 7);
    expect(await db`select from stopping_executions where runner_job_id = ${jobId}`).toHaveLength(
      1,
    );
    expect(await run()).toEqual({});
    await db`delete from stopping_executions where runner_job_id = ${jobId}`;
    expect(await run()).toEqual({ jobs: 1 });
  });

  test("are whole or gone when a connection dies while they are deleted, and the next run goes on", async () => {
    const ids = await givenEnded(mine, 4);
    await advanceClock(db, "8 days");
    await keep(mine, 7);
    const [holder, killed] = [connect(url, { max: 1 }), connect(url, { max: 1 })];
    const [backend] = await killed<{ pid: number }[]>`select pg_backend_pid() as pid`;
    await holder.begin(async (tx) => {
      await tx`select from runner_jobs where id = ${ids[2] ?? ""} for update`;
      const running = deleteByOrg(killed, { signal, batch: 2 }).catch((error: unknown) => error);
      await untilOneWaits(db);
      await db`select pg_terminate_backend(${backend?.pid ?? 0})`;
      expect(await running).toBeInstanceOf(Error);
    });
    await Promise.all([holder.end({ timeout: 1 }), killed.end({ timeout: 1 })]);
    expect(await idsOf("runner_jobs", mine)).toEqual(ids.slice(2).toSorted());
    const left = Object.fromEntries(await countsOf(mine));
    expect(left).toMatchObject({ runner_job_plans: 2, runner_job_execution_results: 2 });
    expect(await run()).toEqual({ jobs: 2 });
  });

  test("are deleted beside the broker's own deleting", async () => {
    await givenEnded(mine, 6);
    await givenEnded(other, 2);
    await advanceClock(db, "91 days");
    await keep(mine, 7);
    await Promise.all([run(1), deleteOldJobs(db, 90, { signal, batch: 1 })]);
    await Promise.all([run(1), deleteOldJobs(db, 90, { signal, batch: 1 })]);
    expect(await idsOf("runner_jobs", mine)).toEqual([]);
    expect(await idsOf("runner_jobs", other)).toEqual([]);
  });

  test("of one org with many do not hold up another org", async () => {
    for (const runner of [mine, other]) {
      await cancel(runner, await givenJobs(db, runner, [{}, {}, {}, {}, {}, {}]));
      await keep(runner, 7);
    }
    await advanceClock(db, "8 days");
    const stopped = new AbortController();
    let calls = 0;
    const counted = new Proxy(db, {
      apply(target, self, args: unknown[]) {
        if (String(args[0]).includes("next from")) calls += 1;
        if (calls === 4) stopped.abort();
        return Reflect.apply(target, self, args) as unknown;
      },
    });
    expect(await deleteByOrg(counted, { signal: stopped.signal, batch: 1 })).toEqual({ jobs: 4 });
    expect(await idsOf("runner_jobs", mine)).toHaveLength(4);
    expect(await idsOf("runner_jobs", other)).toHaveLength(4);
  });
});

test("nothing of other orgs is read: no deletion walks a table or an index", async () => {
  await givenEnded(mine, 2);
  await db`update orgs set retain_jobs_days = 1, retain_heart_beats_days = 1, retain_health_checks_days = 1,
                           retain_logs_days = 1, retain_audit_days = 7 where id = ${mine.orgId}`;
  await db`
    insert into log_streams (id, org_id, owner_id, owner_type, created_at, first_day, last_day)
    values ('lgs_1', ${mine.orgId}, 'x', 'x', svc_now(), svc_now(), svc_now())`;
  await advanceClock(db, "8 days");
  const { db: explained, take, end } = await explaining(database);
  take();
  for (const by of [
    "delete_jobs_of_org",
    "delete_logs_of_org",
    "delete_beat_minutes_of_org",
    "delete_processes_of_org",
    "delete_health_checks_of_org",
    "delete_audit_of_org",
  ]) {
    await explained`select * from ${explained(by)}(${mine.orgId}, '', 100)`;
  }
  const statements = take();
  await end();
  const walks = statements.flatMap(({ Plan, "Query Text": text }) =>
    walksOf(Plan).map((walk) => `${walk}: ${text.replaceAll(/\s+/g, " ").slice(0, 200)}`),
  );
  expect(walks).toEqual([]);
  const seen = new Set(statements.flatMap(({ Plan }) => relationsOf(Plan)));
  expect([...seen]).toEqual(
    expect.arrayContaining([
      "runner_jobs",
      "log_streams",
      "runner_processes",
      "runner_beat_minutes",
    ]),
  );
});

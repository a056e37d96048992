import { describe, expect, test } from "vitest";
import { connect } from "../../../broker/database/connect.ts";
import { deleteDeadProcesses } from "../../../broker/retention/delete-dead-processes.ts";
import { deleteOldJobs } from "../../../broker/retention/delete-old-jobs.ts";
import { deleteOldRows } from "../../../broker/retention/delete-old-rows.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import {
  claim,
  type GivenRunner,
  givenExecution,
  givenJob,
  givenJobs,
  givenProcess,
  givenRunner,
  report,
} from "../../support/rows/given.ts";

const { url, db } = await testDatabase();
const { signal } = new AbortController();

/** Jobs that ran to their end, with results, outputs and evidence, and others that were cancelled. */
async function givenEndedJobs(
  runner: GivenRunner,
  processId: string,
  ran: number,
  cancelled: number,
) {
  const jobIds: string[] = [];
  while (jobIds.length < cancelled) {
    const some = Math.min(500, cancelled - jobIds.length);
    const ids = await givenJobs(
      db,
      runner,
      Array.from({ length: some }, () => ({})),
    );
    await db`select count(*) from end_jobs(${runner.orgId}, ${ids}, 'cancel', 'enough')`;
    jobIds.push(...ids);
  }
  for (let at = 0; at < ran; at++) {
    const { jobId, executionId } = await givenExecution(db, runner, {
      processId,
      job: { plan: "{}" },
    });
    const result = { success: true };
    await report(db, runner, { executionId, status: "finished", result, outputs: { a: 1 } });
    await report(db, runner, { executionId, status: "finished", result: { success: false } });
    jobIds.push(jobId);
  }
  return jobIds;
}

const tables = [
  "runner_jobs",
  "runner_job_plans",
  "runner_job_ends",
  "runner_job_executions",
  "runner_job_execution_results",
  "runner_job_execution_outputs",
  "runner_job_execution_evidence",
  "runner_job_events",
];

async function countOf(table: string): Promise<number> {
  const [row] = await db<{ n: number }[]>`select count(*)::int as n from ${db(table)}`;
  return row?.n ?? -1;
}

describe("jobs whose time is over", () => {
  test("go with all that belongs to them, in batches; young ones and those that live stay", async () => {
    const runner = await givenRunner(db, { maxDepth: 100_000 });
    const processId = await givenProcess(db, runner);
    const thirtyDays = 30 * 86_400e9;
    const living = await givenJob(db, runner, {
      queueTimeout: thirtyDays,
      overallTimeout: thirtyDays,
    });
    await db`update runner_job_live set overall_at = overall_at + interval '1 year' where id = ${living}`;
    await db`select * from end_jobs(${runner.orgId}, ${[await givenJob(db, runner)]}, 'cancel', '')`;
    await givenEndedJobs(runner, processId, 0, 10_000);
    await advanceClock(db, "60 days");
    await db`update runner_process_beats set last_seen_at = svc_now()`;
    await givenEndedJobs(runner, processId, 0, 3);
    await advanceClock(db, "30 days 1 minute");
    expect(await deleteOldJobs(db, 90, { signal, batch: 1000 })).toBe(10_001);
    expect(await countOf("runner_job_ends")).toBe(3);
    expect(await countOf("runner_jobs")).toBe(4);
    const [stays] =
      await db`select count(*)::int as n from runner_job_events where runner_job_id = ${living}`;
    expect(stays).toMatchObject({ n: 2 });
    expect(await deleteOldJobs(db, 90, { signal, batch: 1000 })).toBe(0);
    await advanceClock(db, "60 days");
    await db`select * from end_jobs(${runner.orgId}, ${[living]}, 'cancel', '')`;
    expect(await deleteOldJobs(db, 90, { signal, batch: 2 })).toBe(3);
    await advanceClock(db, "91 days");
    expect(await deleteOldJobs(db, 90, { signal, batch: 1 })).toBe(1);
    for (const table of tables) expect([table, await countOf(table)]).toEqual([table, 0]);
  });

  test("leave nothing of their executions behind", async () => {
    const runner = await givenRunner(db);
    const processId = await givenProcess(db, runner);
    await givenEndedJobs(runner, processId, 5, 5);
    for (const table of tables) expect([table, await countOf(table)]).not.toEqual([table, 0]);
    await advanceClock(db, "91 days");
    expect(await deleteOldJobs(db, 90, { signal, batch: 3 })).toBeGreaterThanOrEqual(10);
    for (const table of tables) expect([table, await countOf(table)]).toEqual([table, 0]);
  });

  test("are deleted without standing in the way of enqueues, claims and reports", async () => {
    const runner = await givenRunner(db);
    const processId = await givenProcess(db, runner);
    await givenEndedJobs(runner, processId, 3, 3);
    await advanceClock(db, "91 days");
    await db`update runner_process_beats set last_seen_at = svc_now()`;
    const other = connect(url, { max: 1, statementTimeoutMs: 20_000 });
    await db.begin(async (tx) => {
      expect(await deleteOldJobs(tx as never, 90, { signal, batch: 100 })).toBe(6);
      const { executionId } = await givenExecution(other, runner, { processId });
      expect(await report(other, runner, { executionId, status: "in-progress" })).toBe("ok");
      expect(await report(other, runner, { executionId, status: "failed", result: {} })).toBe("ok");
      await givenJob(other, runner);
      expect(await claim(other, runner, { processId })).toHaveLength(1);
    });
    await other.end();
    expect(await countOf("runner_job_ends")).toBe(1);
  });

  test("a stop ends the work after a batch, and the next run goes on", async () => {
    const runner = await givenRunner(db);
    const stopped = new AbortController();
    await givenEndedJobs(runner, await givenProcess(db, runner), 0, 30);
    await advanceClock(db, "91 days");
    const counted = new Proxy(db, {
      apply(target, self, args: unknown[]) {
        stopped.abort();
        return Reflect.apply(target, self, args) as unknown;
      },
    });
    expect(await deleteOldJobs(counted, 90, { signal: stopped.signal, batch: 10 })).toBe(10);
    expect(await deleteOldJobs(db, 90, { signal, batch: 10 })).toBeGreaterThanOrEqual(20);
  });
});

describe("what else is kept for a time", () => {
  test("minutes, health checks, histories and keys go by their age", async () => {
    const { orgId, runnerId } = await givenRunner(db);
    await givenToken(db, { orgId });
    const write = async (key: string) => {
      await db`insert into runner_beat_minutes values (${`prc_${key}`}, svc_now(), ${orgId}, ${runnerId}, 1)`;
      await db`
        insert into runner_health_checks (id, org_id, runner_id, minute_bucket, status)
        values (${`hck_${key}`}, ${orgId}, ${runnerId}, svc_now(), 'active')`;
      await db`insert into status_history (owner_id, org_id, status, at) values ('own_1', ${orgId}, ${key}, svc_now())`;
      await db`insert into runner_job_enqueue_keys values (${orgId}, ${key}, '\\x00', '{}', svc_now())`;
      await db`
        insert into idempotency_keys (org_id, key, operation_id, fingerprint) values (${orgId}, ${key}, 'op', '\\x00')`;
      await db`
        insert into dashboard_sessions (id, org_id, token_id, purpose, digest, shown_org_id, expires_at)
        select ${`ses_${key}`}, org_id, id, 'link', sha256(${key}::bytea), org_id, svc_now() + interval '1 day'
          from tokens where org_id = ${orgId}`;
    };
    await write("old");
    await advanceClock(db, "8 days");
    await write("young");
    for (const [table, days] of [
      ["runner_beat_minutes", 7],
      ["runner_health_checks", 7],
      ["status_history", 7],
      ["runner_job_enqueue_keys", 1],
      ["idempotency_keys", 0],
      ["dashboard_sessions", 0],
    ] as const) {
      expect([table, await deleteOldRows(db, table, days, { signal, batch: 1 })]).not.toEqual([
        table,
        0,
      ]);
      const [row] = await db<
        { n: number }[]
      >`select count(*)::int as n from ${db(table)} where org_id = ${orgId}`;
      expect([table, row?.n]).toEqual([table, 1]);
    }
  });

  test("dead processes go with their records and histories; a runner's latest stays", async () => {
    const runner = await givenRunner(db);
    const [first, second, latest] = [
      await givenProcess(db, runner),
      await givenProcess(db, runner),
      await givenProcess(db, runner),
    ];
    await db`select * from request_shutdowns(${[first]}, ${["shd_x"]}, 'graceful', interval '1 hour', 'me')`;
    await db`select process_goes_down(id, 'shut-down', 'bye') from unnest(${[first, second, latest]}::text[]) id`;
    const ids = async () => {
      const rows = await db<{ id: string }[]>`
        select id from runner_processes where runner_id = ${runner.runnerId} order by created_at`;
      return rows.map(({ id }) => id);
    };
    await advanceClock(db, "6 days");
    await deleteDeadProcesses(db, 7, { signal, batch: 1 });
    expect(await ids()).toEqual([first, second, latest]);
    await advanceClock(db, "2 days");
    await deleteDeadProcesses(db, 7, { signal, batch: 1 });
    expect(await ids()).toEqual([latest]);
    expect(await db`select from runner_process_shutdowns where id = 'shd_x'`).toHaveLength(0);
    expect(await db`select from status_history where owner_id in (${first}, 'shd_x')`).toHaveLength(
      0,
    );
    expect(await db`select from status_history where owner_id = ${latest}`).not.toHaveLength(0);
  });
});

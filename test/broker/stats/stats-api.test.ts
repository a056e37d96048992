import { beforeAll, describe, expect, test, vi } from "vitest";
import { sampleStats } from "../../../broker/stats/sample-stats.ts";
import type { JobStats } from "../../../shared/api/job-stats.ts";
import type { StatsOverview } from "../../../shared/api/stats-overview.ts";
import { givenOperator, type GivenOperator } from "../../support/broker/given-operator.ts";
import { tallyAll } from "../../support/broker/metrics.ts";
import { advanceClock, stopClock } from "../../support/database/clock.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import {
  claim,
  type GivenRunner,
  givenJobs,
  givenOrg,
  givenProcess,
  report,
} from "../../support/rows/given.ts";
import { waitLimitMs } from "../../support/run/hang-limits.ts";

/** Other tests' open transactions hold a tally back. */

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
  await stopClock(at.db);
});

async function refresh(): Promise<void> {
  await sampleStats(at.db);
  await tallyAll(at.db);
}

async function givenServing(): Promise<{ runner: GivenRunner; processId: string; name: string }> {
  const { given, name } = await at.createRunner();
  return { runner: given, processId: await givenProcess(at.db, given), name };
}

/** A claim passes a job that the broker's own clock holds just then: it is made again. */
async function endOne(runner: GivenRunner, processId: string, status: string): Promise<void> {
  const { executionId } = await vi.waitUntil(
    async () => (await claim(at.db, runner, { processId }))[0],
    { timeout: waitLimitMs },
  );
  const result = { success: status === "finished" };
  await report(at.db, runner, { executionId, status, result });
}

/** Moves the clock to the next whole hour. */
async function toHour(): Promise<void> {
  const [row] = await at.db<{ rest: string }[]>`
    select (date_trunc('hour', svc_now()) + interval '1 hour' - svc_now())::text as rest`;
  await advanceClock(at.db, row?.rest ?? "0");
}

async function now(): Promise<number> {
  const [row] = await at.db<{ at: Date }[]>`select svc_now() as at`;
  return row?.at.getTime() ?? 0;
}

const minuteMs = 60_000;
const iso = (ms: number): string => new Date(ms).toISOString();

describe("the overview", () => {
  test("shows what waits, what runs, what failed, and what needs a look; to its own org only", async () => {
    await toHour();
    const { runner, processId, name } = await givenServing();
    const path = "GET /v1/stats/overview";
    await givenJobs(at.db, runner, [{}, {}, {}, {}]);
    await endOne(runner, processId, "finished");
    await endOne(runner, processId, "failed");
    const [held] = await claim(at.db, runner, { processId });
    // Else the broker's own clock gives it back after 30 s, if it comes before the look below.
    await report(at.db, runner, { executionId: held?.executionId ?? "", status: "in-progress" });
    const enqueuedAt = iso(await now());
    await advanceClock(at.db, "20 seconds");
    await refresh();
    const asOf = iso(await now());
    const { body } = await at.call<StatsOverview>(path);
    expect(body).toEqual({
      as_of: asOf,
      jobs: { queued: 1, in_progress: 1, oldest_waiting_at: enqueuedAt },
      slots: { in_use: 1, capacity: 1 },
      last_hour: {
        enqueued: 4,
        finished: 1,
        failed: 1,
        timed_out: 0,
        not_attempted: 0,
        cancelled: 0,
      },
      runners: { online: 1, busy: 1, offline: 0, other: 0 },
      signals: { waiting: 0, in_flight: 0 },
      problems: [
        { kind: "jobs-failed", count: 1, items: [expect.objectContaining({ waiting: null })] },
      ],
    });
    await advanceClock(at.db, "1 second");
    const ended = { status: "failed", result: { success: false } } as const;
    await report(at.db, runner, { executionId: held?.executionId ?? "", ...ended });
    const since = await at.call<StatsOverview>(path);
    expect(since.body.problems).toEqual(body.problems); // what is not counted yet is not named
    await advanceClock(at.db, "70 seconds");
    await at.db`select sweep_processes(100)`;
    await refresh();
    const later = await at.call<StatsOverview>(path);
    expect(later.body.runners).toEqual({ online: 0, busy: 0, offline: 1, other: 0 });
    expect(later.body.problems).toEqual([
      expect.objectContaining({ kind: "jobs-failed" }),
      {
        kind: "runner-offline",
        count: 1,
        items: [{ id: runner.runnerId, name, since: iso(await now()), waiting: 1 }],
      },
    ]);
    const stranger = await givenToken(at.db, { orgId: await givenOrg(at.db) });
    const others = await at.call<StatsOverview>(path, { token: stranger });
    expect(others.body).toMatchObject({
      jobs: { queued: 0, in_progress: 0, oldest_waiting_at: null },
      last_hour: { enqueued: 0 },
      problems: [],
    });
    const ofRunner = await givenToken(at.db, { orgId: at.orgId, runnerId: runner.runnerId });
    expect((await at.call(path, { token: ofRunner })).status).toBe(403);
  });
});

describe("figures of jobs over time", () => {
  test("are zero where nothing moved, and null where no broker ran", async () => {
    await toHour();
    const { runner, processId } = await givenServing();
    const fromMs = await now();
    await givenJobs(at.db, runner, [{}, {}]);
    await sampleStats(at.db);
    await advanceClock(at.db, "30 seconds");
    await endOne(runner, processId, "finished");
    await advanceClock(at.db, "30 seconds");
    await sampleStats(at.db);
    await advanceClock(at.db, "10 minutes"); // the runner may be found silent, and take nothing more
    await refresh();
    const query = `from=${iso(fromMs)}&to=${iso(fromMs + 12 * minuteMs)}&runner_group_id=${runner.groupId}`;
    const { body } = await at.call<JobStats>(`GET /v1/stats/jobs?${query}`);
    const gap = Array.from({ length: 9 }, () => null);
    expect(body.at).toEqual(Array.from({ length: 12 }, (_, n) => iso(fromMs + n * minuteMs)));
    expect(body.step).toBe(60e9);
    expect(body.moves.enqueued).toEqual([2, 0, ...gap, 0]);
    expect(body.moves.finished).toEqual([1, 0, ...gap, 0]);
    expect(body.queue_time.max).toEqual([30e9, null, ...gap, null]);
    expect(body.queues.waiting).toEqual([2, 1, ...gap, 1]);
    expect(body.queues.oldest_waiting).toEqual([0, 60e9, ...gap, 660e9]);
    expect(body.queues.capacity.slice(0, -1)).toEqual([1, 1, ...gap]);
    expect(body.types).toMatchObject([{ type: "noop-deploy", ended: [1, 0, ...gap, 0] }]);
  });

  test("have percentiles within a bucket of the exact ones", async () => {
    await toHour();
    const { runner, processId } = await givenServing();
    const fromMs = await now();
    const seconds = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233];
    for (const wait of seconds) {
      await givenJobs(at.db, runner, [{}]);
      await advanceClock(at.db, `${wait} seconds`, { alive: [processId] });
      await endOne(runner, processId, "finished");
    }
    await refresh();
    const query = `from=${iso(fromMs)}&step=1h&type=noop-deploy&runner_group_id=${runner.groupId}`;
    const { body } = await at.call<JobStats>(`GET /v1/stats/jobs?${query}`);
    const [p50 = 0, p95 = 0] = [body.queue_time.p50[0], body.queue_time.p95[0]].map(
      (ns) => Number(ns) / 1e9,
    );
    expect(p50 / 13).toBeGreaterThan(1 / 1.19);
    expect(p50 / 13).toBeLessThan(1.19);
    expect(p95 / 233).toBeGreaterThan(1 / 1.19);
    expect(p95).toBeLessThanOrEqual(233);
    expect(body.queue_time.max).toEqual([233e9]);
    expect(body.queues.waiting).toEqual([null]);
  });

  test.each([
    ["a day", "", 300, 289],
    ["an hour", "from=-1h", 60, 61],
    ["a month", "from=-30d", 6 * 3600, 121],
  ])("of %s come in a step that suits", async (_range, query, stepS, most) => {
    const ago = query === "from=-1h" ? 3600e3 : 30 * 86_400e3;
    const from = query === "" ? "" : `from=${iso((await now()) - ago)}`;
    const { body } = await at.call<JobStats>(`GET /v1/stats/jobs?${from}`);
    expect(body.step).toBe(stepS * 1e9);
    expect(body.at.length).toBeGreaterThan(most - 2);
    expect(body.at.length).toBeLessThanOrEqual(most);
  });

  test.each([
    ["from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "?from", "range_reversed"],
    ["from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&step=1m", "?step", "too_many_points"],
    ["from=2020-01-01T00:00:00Z", "?from", "too_many_points"],
    ["step=7m", "?step", "invalid_value"],
    ["type=mystery", "?type", "invalid_value"],
    ["group=mystery", "?group", "invalid_value"],
    ["from=yesterday", "?from", "invalid_format"],
    ["runner_group_id=rgr_01k9zq5v3t8w2x4y6z8a0b2c4d", "?runner_group_id", "runner_group_not_kept"],
  ])("are refused for %s", async (query, pointer, code) => {
    const answer = await at.call(`GET /v1/stats/jobs?${query}`);
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer, code }] } });
  });
});

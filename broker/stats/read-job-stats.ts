import type { JobStats } from "../../shared/api/job-stats.ts";
import { addStored, noCounts, percentilesS } from "../../shared/duration-buckets.ts";
import { problem } from "../../shared/problem.ts";
import type { Points } from "../../shared/stats-steps.ts";
import type { Config } from "../config.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { type AskedRange, choosePoints } from "./choose-points.ts";
import {
  findTimes,
  isNamedGroup,
  type JobPoint,
  listCoverage,
  listJobPoints,
  listQueuePoints,
  type QueuePoint,
  type StatsFilter,
} from "./queries.ts";

type StatsRequest = AskedRange & { readonly filter: StatsFilter };

/** The throughput, latencies and depth of an org's jobs, point by point. */
export async function readJobStats(
  { db, config }: { readonly db: Db; readonly config: Pick<Config, "retainStatsDays"> },
  org: OrgId,
  { filter, ...range }: StatsRequest,
): Promise<JobStats> {
  await requireNamed(db, org, filter.runner_group_id);
  const { now, as_of: asOf } = await findTimes(db);
  const points = choosePoints(range, {
    nowMs: now.getTime(),
    retainDays: config.retainStatsDays,
  });
  const asked = { points, filter };
  const [moved, sampled, coverage] = await Promise.all([
    listJobPoints(db, org, asked),
    asked.filter.type === undefined ? listQueuePoints(db, org, asked) : [],
    listCoverage(db, asked.points),
  ]);
  const { fromMs, toMs, stepMs, atMs } = asked.points;
  const minutes = new Map(coverage.map((row) => [row.point * 1000, row.minutes]));
  const byPoint = Map.groupBy(moved, ({ point }) => point * 1000);
  const series = atMs.map((at): Point => ({
    minutes: minutes.get(at) ?? 0,
    jobs: byPoint.get(at) ?? [],
  }));
  return {
    as_of: asOf?.toISOString() ?? null,
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    step: stepMs * 1e6,
    at: atMs.map((at) => new Date(at).toISOString()),
    moves: {
      enqueued: sumsOf(series, "enqueued"),
      finished: sumsOf(series, "finished"),
      failed: sumsOf(series, "failed"),
      timed_out: sumsOf(series, "timed_out"),
      not_attempted: sumsOf(series, "not_attempted"),
      cancelled: sumsOf(series, "cancelled"),
    },
    queue_time: timesByPoint(series, "queue"),
    run_time: timesByPoint(series, "run"),
    queues: queuesOf(asked, sampled, minutes),
    types: typesOf(series),
  };
}

async function requireNamed(db: Db, org: OrgId, groupId: string | undefined): Promise<void> {
  if (groupId === undefined || (await isNamedGroup(db, org, groupId))) return;
  const detail =
    "Figures are kept apart for the first ten runner groups of an org, and this is none of them. Leave it out.";
  throw problem.invalid([{ pointer: "?runner_group_id", code: "runner_group_not_kept", detail }]);
}

/** What was counted in the span of one point, and in how many of its minutes a broker ran. */
type Point = { readonly minutes: number; readonly jobs: readonly JobPoint[] };
type Move = "enqueued" | "finished" | "failed" | "timed_out" | "not_attempted" | "cancelled";

/** Nothing moved is 0, but only where somebody was there to see it. */
function sumsOf(series: readonly Point[], move: Move): (number | null)[] {
  return series.map(({ minutes, jobs }) =>
    minutes === 0 && jobs.length === 0 ? null : jobs.reduce((sum, row) => sum + row[move], 0),
  );
}

type Times = Readonly<Record<"p50" | "p95" | "max", number | null>>;
const noTimes: Times = { p50: null, p95: null, max: null };

/** Reads how long jobs waited or ran, in nanoseconds; all points are counted in one place, one after the other. */
function timesReader(measure: "queue" | "run"): (jobs: readonly JobPoint[]) => Times {
  const counts = noCounts();
  return (jobs) => {
    counts.fill(0);
    let longestS = 0;
    for (const row of jobs) {
      addStored(counts, row[`${measure}_times`]);
      longestS = Math.max(longestS, row[`${measure}_max`]);
    }
    const [p50, p95] = percentilesS(counts, [0.5, 0.95], longestS) ?? [];
    if (p50 === undefined || p95 === undefined) return noTimes;
    return { p50: nsOf(p50), p95: nsOf(p95), max: nsOf(longestS) };
  };
}

function timesByPoint(series: readonly Point[], measure: "queue" | "run") {
  const timesOf = timesReader(measure);
  const all = series.map(({ jobs }) => timesOf(jobs));
  return {
    p50: all.map(({ p50 }) => p50),
    p95: all.map(({ p95 }) => p95),
    max: all.map(({ max }) => max),
  };
}

/** Queues have jobs of all types: there is no depth of one type. */
function queuesOf(
  { points, filter }: { readonly points: Points; readonly filter: StatsFilter },
  sampled: readonly QueuePoint[],
  minutes: ReadonlyMap<number, number>,
): JobStats["queues"] {
  const byPoint = new Map(sampled.map((row) => [row.point * 1000, row]));
  const read = (of: (row: QueuePoint, samples: number) => number): (number | null)[] =>
    points.atMs.map((at) => {
      const samples = minutes.get(at);
      if (samples === undefined || filter.type !== undefined) return null;
      const row = byPoint.get(at);
      return row === undefined ? 0 : of(row, samples);
    });
  return {
    waiting: read((row, samples) => mean(row.waiting, samples)),
    in_progress: read((row, samples) => mean(row.in_progress, samples)),
    slots_in_use: read((row, samples) => mean(row.in_use, samples)),
    capacity: read((row, samples) => mean(row.capacity, samples)),
    oldest_waiting: read((row) => nsOf(row.oldest)),
  };
}

function typesOf(series: readonly Point[]): JobStats["types"] {
  const timesOf = timesReader("run");
  const types = new Set(series.flatMap(({ jobs }) => jobs.map(({ type }) => type)));
  return [...types].toSorted().map((type) => {
    const ended: (number | null)[] = [];
    const times: Times[] = [];
    for (const { minutes, jobs } of series) {
      const row = jobs.find((one) => one.type === type); // a point has one row of a type
      ended.push(row === undefined ? (minutes === 0 ? null : 0) : endsOf(row));
      times.push(row === undefined ? noTimes : timesOf([row]));
    }
    return {
      type,
      ended,
      run_p50: times.map(({ p50 }) => p50),
      run_p95: times.map(({ p95 }) => p95),
    };
  });
}

const mean = (sum: number, samples: number): number => Math.round((sum / samples) * 100) / 100;

const endsOf = (row: JobPoint): number =>
  row.finished + row.failed + row.timed_out + row.not_attempted + row.cancelled;

const nsOf = (seconds: number): number => Math.round(seconds * 1e9);

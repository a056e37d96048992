import type { Points, TimeRange } from "../../shared/stats-steps.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";

/** How many jobs moved where. */
export type Moves = {
  readonly enqueued: number;
  readonly finished: number;
  readonly failed: number;
  readonly timed_out: number;
  readonly not_attempted: number;
  readonly cancelled: number;
};

/** The database's time, in milliseconds since 1970. */
export async function findNow(db: Db): Promise<number> {
  const [row] = await db<{ now: Date }[]>`select svc_now() as now`;
  if (row === undefined) throw new Error("the database told no time");
  return row.now.getTime();
}

/** Whether the figures of a runner group are kept apart. */
export async function isNamedGroup(db: Db, org: OrgId, groupId: string): Promise<boolean> {
  const [row] = await db<{ named: boolean }[]>`
    select ${groupId}::text = any(named_runner_groups(${org})) as named`;
  return row?.named === true;
}

/** The database's time, and when the latest sample was taken and moves were counted up to; null before the first. */
export async function findTimes(
  db: Db,
): Promise<{ readonly now: Date; readonly as_of: Date | null }> {
  const [row] = await db<
    { now: Date; as_of: Date | null }[]
  >`select svc_now() as now, ${asOf(db)} as as_of`;
  if (row === undefined) throw new Error("the database told no time");
  return row;
}

function asOf(db: Db) {
  return db`
    (select least(s.sampled_at, m.tallied_at)
       from stats_mark s cross join runner_job_tally_mark m where s.sampled_at > 'epoch')`;
}

/** The latest sample of an org. */
export type OrgStats = {
  readonly queued: number;
  readonly in_progress: number;
  readonly oldest_waiting_at: Date | null;
  readonly in_use: number;
  readonly capacity: number;
  readonly runners_online: number;
  readonly runners_busy: number;
  readonly runners_offline: number;
  readonly runners_other: number;
  readonly signals_waiting: number;
  readonly signals_in_flight: number;
  readonly problems: readonly {
    readonly kind: string;
    readonly count: number;
    readonly items: readonly {
      readonly id: string;
      readonly name: string;
      readonly since: string | null;
      readonly waiting: number | null;
    }[];
  }[];
};

/** The latest sample of an org, nothing for one that is newer, and the moves of the last sixty minutes. */
export async function findOverview(
  db: Db,
  org: OrgId,
): Promise<OrgStats & Moves & { readonly as_of: Date | null }> {
  const [row] = await db<(OrgStats & Moves & { as_of: Date | null })[]>`
    select ${asOf(db)} as as_of, h.*, coalesce(o.queued, 0) as queued, coalesce(o.in_progress, 0) as in_progress,
           o.oldest_waiting_at, coalesce(o.in_use, 0) as in_use, coalesce(o.capacity, 0) as capacity,
           coalesce(o.runners_online, 0) as runners_online, coalesce(o.runners_busy, 0) as runners_busy,
           coalesce(o.runners_offline, 0) as runners_offline, coalesce(o.runners_other, 0) as runners_other,
           coalesce(o.signals_waiting, 0) as signals_waiting, coalesce(o.signals_in_flight, 0) as signals_in_flight,
           coalesce(o.problems, '[]') as problems
      from (select ${sums(db)} from job_rollups r
             where r.org_id = ${org} and r.width_s = 60 and r.runner_group_id = 'all'
               and r.at > (select svc_now() - interval '1 hour')) h
      left join org_stats o on o.org_id = ${org}`;
  if (row === undefined) throw new Error("a sum answered no row");
  return row;
}

function sums(db: Db) {
  return db`
    coalesce(sum(r.enqueued), 0)::int as enqueued, coalesce(sum(r.finished), 0)::int as finished,
    coalesce(sum(r.failed), 0)::int as failed, coalesce(sum(r.timed_out), 0)::int as timed_out,
    coalesce(sum(r.not_attempted), 0)::int as not_attempted, coalesce(sum(r.cancelled), 0)::int as cancelled`;
}

/** Whose figures are asked for; without any, the whole org's. */
export type StatsFilter = {
  readonly group?: string | undefined;
  readonly type?: string | undefined;
  readonly runner_group_id?: string | undefined;
};

/** What jobs of one type did in the span of one point. */
export type JobPoint = Moves & {
  /** Seconds since 1970. */
  readonly point: number;
  readonly type: string;
  /** Counts by bucket, as they are stored, one row's after the other's (`addStored`). */
  readonly queue_times: string;
  readonly queue_max: number;
  readonly run_times: string;
  readonly run_max: number;
};

/**
 * The moves of jobs by point and type; there is no row where nothing moved. Counts by bucket are not added up here: to take them
 * apart and put them together again would be most of the statement's work.
 */
export async function listJobPoints(
  db: Db,
  org: OrgId,
  { points, filter }: { readonly points: Points; readonly filter: StatsFilter },
): Promise<JobPoint[]> {
  return db<JobPoint[]>`
    select extract(epoch from ${pointOf(db, points)})::float8 as point, r.type, ${sums(db)}, max(r.queue_max) as queue_max,
           max(r.run_max) as run_max, string_agg(r.queue_times::text, ',') as queue_times,
           string_agg(r.run_times::text, ',') as run_times
      from job_rollups r
     where r.org_id = ${org} and ${within(db, points)} and ${chosen(db, filter)}
       ${filter.type === undefined ? db`` : db`and r.type = ${filter.type}`}
     group by 1, 2`;
}

/** What waited and ran in the span of one point: means over its samples. */
export type QueuePoint = {
  readonly point: number;
  readonly waiting: number;
  readonly in_progress: number;
  readonly in_use: number;
  readonly capacity: number;
  readonly oldest: number;
};

/** The samples of runners' queues by point: sums that are to be divided by the number of samples. */
export async function listQueuePoints(
  db: Db,
  org: OrgId,
  { points, filter }: { readonly points: Points; readonly filter: StatsFilter },
): Promise<QueuePoint[]> {
  return db<QueuePoint[]>`
    select extract(epoch from ${pointOf(db, points)})::float8 as point, sum(r.waiting_sum)::float8 as waiting,
           sum(r.in_progress_sum)::float8 as in_progress, sum(r.in_use_sum)::float8 as in_use,
           sum(r.capacity_sum)::float8 as capacity, max(r.oldest_max) as oldest
      from queue_rollups r
     where r.org_id = ${org} and ${within(db, points)} and ${chosen(db, filter)}
     group by 1`;
}

/** How many minutes were sampled in the span of each point; there is no row where no broker ran. */
export async function listCoverage(
  db: Db,
  points: Points,
): Promise<{ readonly point: number; readonly minutes: number }[]> {
  return db<{ point: number; minutes: number }[]>`
    select extract(epoch from ${pointOf(db, points)})::float8 as point, sum(r.minutes)::int as minutes
      from rollup_coverage r where ${within(db, points)} group by 1`;
}

/** The spans of a width in which a broker ran, as seconds since 1970, in order. */
export async function listCovered(
  db: Db,
  { fromMs, toMs, widthS }: TimeRange & { readonly widthS: number },
): Promise<readonly number[]> {
  const [row] = await db<{ at: number[] | null }[]>`
    select array_agg(extract(epoch from c.at)::float8 order by c.at) as at
      from rollup_coverage c
     where c.width_s = ${widthS} and c.at >= ${new Date(fromMs - widthS * 1000)} and c.at < ${new Date(toMs)}`;
  return row?.at ?? [];
}

/** The point that a rollup `r` belongs to. */
export function pointOf(db: Db, { stepMs }: Points) {
  return db`date_bin(make_interval(secs => ${stepMs / 1000}), r.at, timestamptz '2000-01-01 00:00:00Z')`;
}

/** Which rollups `r` the points need. */
export function within(db: Db, { widthS, fromMs, toMs }: Points) {
  return db`r.width_s = ${widthS} and r.at >= ${new Date(fromMs)} and r.at < ${new Date(toMs)}`;
}

function chosen(db: Db, { group, runner_group_id: runnerGroup }: StatsFilter) {
  return db`
    r.runner_group_id = ${runnerGroup ?? "all"} ${group === undefined ? db`` : db`and r.job_group = ${group}`}`;
}

/** The newest jobs that did not succeed in the last hour, ten at most, of those that the overview counts. */
export async function listLatestFailures(
  db: Db,
  org: OrgId,
): Promise<OrgStats["problems"][number]["items"]> {
  const rows = await db<{ id: string; name: string; since: Date }[]>`
    select e.runner_job_id as id, j.type as name, e.finished_at as since
      from unnest(array['failed', 'timed-out', 'not-attempted']) s (status)
     cross join lateral (
       select e.runner_job_id, e.finished_at from runner_job_ends e
        where e.org_id = ${org} and e.status = s.status
        order by e.runner_job_id desc limit 10) e
      join runner_jobs j on j.org_id = ${org} and j.id = e.runner_job_id
     where date_trunc('minute', e.finished_at) > svc_now() - interval '1 hour' and e.finished_at <= ${asOf(db)}
     order by e.finished_at desc limit 10`;
  return rows.map((row) => ({ ...row, since: row.since.toISOString(), waiting: null }));
}

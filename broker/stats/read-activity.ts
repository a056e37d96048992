import type { WebhookStats, WorkflowStats } from "../../shared/api/activity-stats.ts";
import { addStored, noCounts, percentilesS } from "../../shared/duration-buckets.ts";
import type { Points } from "../../shared/stats-steps.ts";
import type { Config } from "../config.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { type AskedRange, choosePoints } from "./choose-points.ts";
import { type ActivityPoint, listActivity } from "./list-activity.ts";
import { findNow, listCoverage } from "./queries.ts";

type Parts = { readonly db: Db; readonly config: Pick<Config, "retainStatsDays"> };
/** What was counted in the span of one point; undefined where no broker ran. */
type Series = readonly (readonly ActivityPoint[] | undefined)[];

/** How the workflows of an org ended, and how long they took, point by point. */
export async function readWorkflowStats(
  parts: Parts,
  org: OrgId,
  range: AskedRange,
): Promise<WorkflowStats> {
  const { points, series } = await read(parts, org, { kind: "workflows", range });
  const names = new Set(series.flatMap((rows = []) => rows.map(({ type }) => type)));
  return {
    ...shown(points),
    ended: {
      succeeded: sums(series, "succeeded"),
      failed: sums(series, "failed"),
      cancelled: sums(series, "cancelled"),
    },
    duration: times(series),
    types: [...names].toSorted().map((type) => {
      const own = series.map((rows) => rows?.filter((row) => row.type === type));
      const { p50, p95 } = times(own);
      return { type, ended: totals(own), p50, p95 };
    }),
  };
}

/** How the calls to an org's webhooks ended, and how long they took, point by point. */
export async function readWebhookStats(
  parts: Parts,
  org: OrgId,
  range: AskedRange,
): Promise<WebhookStats> {
  const { points, series } = await read(parts, org, { kind: "deliveries", range });
  return {
    ...shown(points),
    calls: { delivered: sums(series, "succeeded"), failed: sums(series, "failed") },
    duration: times(series),
  };
}

async function read(
  { db, config }: Parts,
  org: OrgId,
  { kind, range }: { readonly kind: "workflows" | "deliveries"; readonly range: AskedRange },
): Promise<{ readonly points: Points; readonly series: Series }> {
  const nowMs = await findNow(db);
  const points = choosePoints(range, { nowMs, retainDays: config.retainStatsDays });
  const [rows, coverage] = await Promise.all([
    listActivity(db, org, { points, kind }),
    listCoverage(db, points),
  ]);
  const covered = new Set(coverage.map(({ point }) => point * 1000));
  const byPoint = Map.groupBy(rows, ({ point }) => point * 1000);
  const series = points.atMs.map((at) => byPoint.get(at) ?? (covered.has(at) ? [] : undefined));
  return { points, series };
}

const shown = ({ fromMs, toMs, stepMs, atMs }: Points) => ({
  from: new Date(fromMs).toISOString(),
  to: new Date(toMs).toISOString(),
  step: stepMs * 1e6,
  at: atMs.map((at) => new Date(at).toISOString()),
});

type Count = "succeeded" | "failed" | "cancelled";

const sums = (series: Series, count: Count): (number | null)[] =>
  series.map((rows) => rows?.reduce((sum, row) => sum + row[count], 0) ?? null);

const totals = (series: Series): (number | null)[] =>
  series.map(
    (rows) =>
      rows?.reduce((sum, row) => sum + row.succeeded + row.failed + row.cancelled, 0) ?? null,
  );

type Times = WorkflowStats["duration"];

function times(series: Series): Times {
  const counts = noCounts();
  const read: Times = { p50: [], p95: [], max: [] };
  for (const point of series) {
    const rows = point ?? [];
    counts.fill(0);
    for (const row of rows) addStored(counts, row.times);
    const longestS = Math.max(0, ...rows.map(({ times_max: longest }) => longest));
    const [p50, p95] = percentilesS(counts, [0.5, 0.95], longestS) ?? [];
    read.p50.push(nsOf(p50));
    read.p95.push(nsOf(p95));
    read.max.push(nsOf(p50 === undefined ? undefined : longestS));
  }
  return read;
}

const nsOf = (seconds: number | undefined): number | null =>
  seconds === undefined ? null : Math.round(seconds * 1e9);

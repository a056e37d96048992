import {
  mostAnalyticsDays,
  type PolicyAnalyticsQuery,
  type PolicyAnalyticsSummary,
  type PolicyDimension,
} from "../../shared/api/policy-analytics.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import {
  breakDownPolicies,
  type Counted,
  countPolicies,
  chartPolicies,
  findNow,
} from "./analytics-queries.ts";

type Of = { readonly app: string; readonly query: PolicyAnalyticsQuery };

const dayMs = 24 * 3_600_000;
const usualDays = 30;
const mostHourlyDays = 2;

/** What an app's policies said in a time. */
export async function summarizePolicies(
  db: Db,
  org: OrgId,
  of: Of,
): Promise<PolicyAnalyticsSummary> {
  const range = await rangeOf(db, of);
  const found = await countPolicies(db, org, range);
  return {
    ...shown(range),
    total_evaluations: found.evaluations,
    total_passes: found.passes,
    total_warns: found.warns,
    total_denies: found.denies,
    unique_policies: found.policies,
    unique_reports: found.reports,
  };
}

/** The same of each policy, component or install. */
export async function comparePolicies(
  db: Db,
  org: OrgId,
  { dimension, limit, ...of }: Of & { readonly dimension: PolicyDimension; readonly limit: number },
) {
  const range = await rangeOf(db, of);
  const entries = await breakDownPolicies(db, org, { ...range, dimension, limit });
  return { ...shown(range), dimension, entries: [...entries] };
}

/** The same over time. */
export async function policiesOverTime(
  db: Db,
  org: OrgId,
  { groupBy, ...of }: Of & { readonly groupBy: PolicyDimension | undefined },
) {
  const range = await rangeOf(db, of);
  const isShort = range.end.getTime() - range.start.getTime() <= mostHourlyDays * dayMs;
  const interval = isShort ? ("hour" as const) : ("day" as const);
  const points = await chartPolicies(db, org, { ...range, interval, dimension: groupBy });
  const byTime = Map.groupBy(points, ({ time }) => time.toISOString());
  const buckets = [...byTime].map(([time, all]) => ({
    time,
    ...sumOf(all),
    series:
      groupBy === undefined
        ? []
        : all.map((one) => ({ labels: { [groupBy]: one.key }, ...sumOf([one]) })),
  }));
  return { ...shown(range), interval, group_by: groupBy === undefined ? [] : [groupBy], buckets };
}

function sumOf(all: readonly Counted[]): Counted {
  const sum = (of: (one: Counted) => number): number =>
    all.reduce((total, one) => total + of(one), 0);
  return {
    evaluations: sum(({ evaluations }) => evaluations),
    passes: sum(({ passes }) => passes),
    warns: sum(({ warns }) => warns),
    denies: sum(({ denies }) => denies),
  };
}

const shown = ({ start, end }: { readonly start: Date; readonly end: Date }) => ({
  start: start.toISOString(),
  end: end.toISOString(),
});

async function rangeOf(db: Db, { app, query }: Of) {
  const end = query.end === undefined ? await findNow(db) : new Date(query.end);
  const start =
    query.start === undefined ? new Date(end.getTime() - usualDays * dayMs) : new Date(query.start);
  const days = (end.getTime() - start.getTime()) / dayMs;
  const detail = `start must be before end, and at most ${mostAnalyticsDays} days before it.`;
  if (days < 0) throw problem.invalid([{ pointer: "?start", code: "range_reversed", detail }]);
  if (days > mostAnalyticsDays)
    throw problem.invalid([{ pointer: "?start", code: "range_too_long", detail }]);
  return { app, start, end, install: query.install_id, policy: query.policy_id };
}

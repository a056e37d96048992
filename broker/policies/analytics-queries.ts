import type { PolicyDimension } from "../../shared/api/policy-analytics.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";

/** How often policies were evaluated, and what they said. */
export type Counted = Readonly<Record<"evaluations" | "passes" | "warns" | "denies", number>>;

type Range = {
  readonly app: string;
  readonly start: Date;
  readonly end: Date;
  readonly install: string | undefined;
  readonly policy: string | undefined;
};

/** The time now, as the database has it. */
export async function findNow(db: Db): Promise<Date> {
  const [row] = await db<{ now: Date }[]>`select svc_now() as now`;
  return row?.now ?? new Date(0);
}

/** All counts together, and how many different policies and reports they are of. */
export async function countPolicies(
  db: Db,
  org: OrgId,
  range: Range,
): Promise<Counted & Readonly<Record<"policies" | "reports", number>>> {
  const [row] = await db<(Counted & { policies: number; reports: number })[]>`
    select ${counts(db)}, count(distinct p.policy_id)::int as policies, count(distinct r.id)::int as reports
      from ${outcomes(db, org, range)}`;
  return row ?? { evaluations: 0, passes: 0, warns: 0, denies: 0, policies: 0, reports: 0 };
}

/** The counts of each, those that deny most first. */
export async function breakDownPolicies(
  db: Db,
  org: OrgId,
  { dimension, limit, ...range }: Range & { readonly dimension: PolicyDimension; limit: number },
): Promise<readonly (Counted & { readonly key: string })[]> {
  return await db<(Counted & { key: string })[]>`
    select ${keyOf(db, dimension)} as key, ${counts(db)} from ${outcomes(db, org, range)}
     group by 1 order by denies desc, warns desc, evaluations desc, key limit ${limit}`;
}

/** The counts of each time, and of each thing in it. */
export async function chartPolicies(
  db: Db,
  org: OrgId,
  { interval, dimension, ...range }: Range & Chart,
): Promise<readonly (Counted & { readonly time: Date; readonly key: string })[]> {
  const key = dimension === undefined ? db`''` : keyOf(db, dimension);
  return await db<(Counted & { time: Date; key: string })[]>`
    select date_trunc(${interval}, r.evaluated_at, 'UTC') as time, ${key} as key, ${counts(db)}
      from ${outcomes(db, org, range)}
     group by 1, 2 order by 1, denies desc, key limit ${mostPoints}`;
}

type Chart = {
  readonly interval: "hour" | "day";
  readonly dimension: PolicyDimension | undefined;
};
const mostPoints = 5000;

const counts = (db: Db) => db`
  count(*)::int as evaluations, (count(*) filter (where p.status = 'pass'))::int as passes,
  (count(*) filter (where p.status = 'warn'))::int as warns, (count(*) filter (where p.status = 'deny'))::int as denies`;

/** What each policy said in each report. */
const outcomes = (db: Db, org: OrgId, { app, start, end, install, policy }: Range) => db`
  policy_reports r
 cross join lateral jsonb_to_recordset(r.policies) as p (policy_id text, policy_name text, status text)
 where r.org_id = ${org} and r.app_id = ${app} and r.evaluated_at >= ${start} and r.evaluated_at < ${end}
   ${install === undefined ? db`` : db`and r.install_id = ${install}`}
   ${policy === undefined ? db`` : db`and p.policy_id = ${policy}`}`;

function keyOf(db: Db, dimension: PolicyDimension) {
  if (dimension === "policy") return db`p.policy_name`;
  if (dimension === "component") return db`r.component_name`;
  return db`coalesce((select i.name from installs i where i.org_id = r.org_id and i.id = r.install_id), '')`;
}

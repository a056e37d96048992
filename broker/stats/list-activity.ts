import type { Points } from "../../shared/stats-steps.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { pointOf, within } from "./queries.ts";

/** What ended in the span of one point, of one type. */
export type ActivityPoint = {
  /** Seconds since 1970. */
  readonly point: number;
  readonly type: string;
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Counts by bucket, as they are stored, one row's after the other's (`addStored`). */
  readonly times: string;
  readonly times_max: number;
};

/** Workflows that ended, or calls to webhooks, by point and type; there is no row where nothing ended. */
export async function listActivity(
  db: Db,
  org: OrgId,
  { points, kind }: { readonly points: Points; readonly kind: "workflows" | "deliveries" },
): Promise<ActivityPoint[]> {
  return db<ActivityPoint[]>`
    select extract(epoch from ${pointOf(db, points)})::float8 as point, r.type, sum(r.succeeded)::int as succeeded,
           sum(r.failed)::int as failed, sum(r.cancelled)::int as cancelled, string_agg(r.times::text, ',') as times,
           max(r.times_max) as times_max
      from activity_rollups r
     where r.org_id = ${org} and r.kind = ${kind} and ${within(db, points)}
     group by 1, 2`;
}

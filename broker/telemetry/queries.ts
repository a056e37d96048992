import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { MetricPointRow, SpanRow } from "./row.ts";
import type { NewPoint } from "./to-points.ts";
import type { NewSpan } from "./to-spans.ts";

/** The most spans of a job, and the most series of a job or a runner, that are stored. */
export const mostKept = { spans: 2000, series: 500 } as const;

/** Stores spans of the runner's own jobs, each once; returns how many exceeded the limit. */
export async function insertSpans(
  db: Db,
  org: OrgId,
  runnerId: string,
  spans: readonly NewSpan[],
): Promise<number> {
  const [row] = await db<{ refused: number }[]>`
    select store_job_spans(${org}, ${runnerId}, ${JSON.stringify(spans)}::text::json,
                           ${mostKept.spans}) as refused`;
  return row?.refused ?? 0;
}

/** Stores the latest point of each series; returns how many exceeded the limit. */
export async function insertPoints(
  db: Db,
  org: OrgId,
  runnerId: string,
  points: readonly NewPoint[],
): Promise<number> {
  const [row] = await db<{ refused: number }[]>`
    select store_metric_points(${org}, ${runnerId}, ${JSON.stringify(points)}::text::json,
                               ${mostKept.series}) as refused`;
  return row?.refused ?? 0;
}

/** All spans that are kept of a job, in the order of their beginnings. */
export async function listSpans(db: Db, org: OrgId, jobId: string): Promise<SpanRow[]> {
  return db<SpanRow[]>`
    select trace_id, span_id, parent_span_id, name, started_at, duration_ns, detail
      from runner_job_spans
     where org_id = ${org} and runner_job_id = ${jobId}
     order by started_at, span_id`;
}

/** The latest points of a runner's own series, or, with a job, of those of the job. */
export async function listPoints(
  db: Db,
  org: OrgId,
  { runnerId, jobId = "" }: { readonly runnerId: string; readonly jobId?: string },
): Promise<MetricPointRow[]> {
  return db<MetricPointRow[]>`
    select name, kind, unit, description, attributes, value, at
      from runner_metric_points
     where org_id = ${org} and runner_id = ${runnerId} and runner_job_id = ${jobId}
     order by name, series`;
}

/** How many exceeded the limits. */
export async function findDropped(
  db: Db,
  org: OrgId,
  { runnerId, jobId = "" }: { readonly runnerId: string; readonly jobId?: string },
): Promise<{ readonly spans: number; readonly series: number }> {
  const [row] = await db<{ spans: number; series: number }[]>`
    select spans_dropped as spans, series_dropped as series from runner_telemetry
     where org_id = ${org} and runner_id = ${runnerId} and runner_job_id = ${jobId}`;
  return row ?? { spans: 0, series: 0 };
}

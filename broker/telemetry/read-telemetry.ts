import type { JobSpan, LogStreamSpan, MetricPoint } from "../../shared/api/telemetry.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { requireJob } from "../jobs/read-job.ts";
import { requireLogStream } from "../logs/store/log-streams.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { findRunner } from "../runners/queries.ts";
import { findDropped, listPoints, listSpans } from "./queries.ts";
import type { MetricPointRow, SpanRow } from "./row.ts";
import type { SpanDetail } from "./to-spans.ts";
import { toStreamSpan } from "./to-stream-span.ts";

type Kept<Item> = { readonly items: Item[]; readonly dropped: number };
type JobPlace = { readonly jobId: string; readonly runnerId: string | null };

/** The spans that are kept of a job, of this runner if one is named; 404 otherwise. */
export async function readJobTraces(
  db: Db,
  org: OrgId,
  { jobId, runnerId }: JobPlace,
): Promise<Kept<JobSpan>> {
  const job = await requireJob(db, org, jobId, runnerId);
  const [rows, dropped] = await Promise.all([
    listSpans(db, org, jobId),
    findDropped(db, org, { runnerId: job.runner_id, jobId }),
  ]);
  return { items: rows.map(toJobSpan), dropped: dropped.spans };
}

/** The spans that are kept of the job whose stream this is, of this runner if one is named; 404 otherwise. */
export async function readStreamSpans(
  db: Db,
  org: OrgId,
  { streamId, runnerId }: { readonly streamId: string; readonly runnerId: string | null },
): Promise<LogStreamSpan[]> {
  const { owner_id: jobId, owner_type: owner } = await requireLogStream(
    db,
    org,
    streamId,
    runnerId,
  );
  if (owner !== "runner_jobs") return [];
  return (await listSpans(db, org, jobId)).map((row) => toStreamSpan(row, jobId));
}

/** What the series of a job measured last; 404 as with its spans. */
export async function readJobMetrics(
  db: Db,
  org: OrgId,
  { jobId, runnerId }: JobPlace,
): Promise<Kept<MetricPoint>> {
  const job = await requireJob(db, org, jobId, runnerId);
  return await readPoints(db, org, { runnerId: job.runner_id, jobId });
}

/** The latest points of the runner's own series; 404 for an unknown runner. */
export async function readRunnerMetrics(
  db: Db,
  org: OrgId,
  runnerId: string,
): Promise<Kept<MetricPoint>> {
  if ((await findRunner(db, org, runnerId)) === undefined) throw problem.notFound("runner");
  return await readPoints(db, org, { runnerId });
}

async function readPoints(
  db: Db,
  org: OrgId,
  owner: { readonly runnerId: string; readonly jobId?: string },
): Promise<Kept<MetricPoint>> {
  const [rows, dropped] = await Promise.all([
    listPoints(db, org, owner),
    findDropped(db, org, owner),
  ]);
  return { items: rows.map(toMetricPoint), dropped: dropped.series };
}

function toJobSpan({ started_at: startedAt, detail, ...row }: SpanRow): JobSpan {
  const kept = detail as SpanDetail; // insertSpans wrote it
  return {
    ...row,
    kind: kept.kind,
    status: kept.status,
    service: kept.service,
    scope: kept.scope,
    started_at: startedAt.toISOString(),
    attributes: kept.attributes,
    events: kept.events.map(({ at_us: atUs, name, attributes }) => ({
      at: new Date(atUs / 1000).toISOString(),
      name,
      attributes,
    })),
    links: [...kept.links],
  };
}

function toMetricPoint({ at, ...row }: MetricPointRow): MetricPoint {
  return { ...row, at: at.toISOString() };
}

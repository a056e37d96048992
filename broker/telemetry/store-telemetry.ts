import type { MetricsRequest, TraceRequest } from "../../shared/api/otlp.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Refused } from "../otlp/partial-success.ts";
import { findRunner } from "../runners/queries.ts";
import { insertPoints, insertSpans, mostKept } from "./queries.ts";
import { toPoints } from "./to-points.ts";
import { toSpans } from "./to-spans.ts";

type Sender = { readonly orgId: OrgId; readonly runnerId: string };

/** Stores the spans that name a job of the runner; 404 for an unknown runner. */
export async function storeTraces(
  db: Db,
  { orgId, runnerId }: Sender,
  request: TraceRequest,
): Promise<Refused> {
  await requireRunner(db, orgId, runnerId);
  const { spans, malformed } = toSpans(request);
  const dropped = spans.length === 0 ? 0 : await insertSpans(db, orgId, runnerId, spans);
  return refusedOf({ malformed, dropped, most: `${mostKept.spans} spans of a job` });
}

/** Stores the latest point of each series of the runner and of its jobs; 404 for an unknown runner. */
export async function storeMetrics(
  db: Db,
  { orgId, runnerId }: Sender,
  request: MetricsRequest,
): Promise<Refused> {
  await requireRunner(db, orgId, runnerId);
  const { points, malformed } = toPoints(request);
  const dropped = points.length === 0 ? 0 : await insertPoints(db, orgId, runnerId, points);
  return refusedOf({ malformed, dropped, most: `${mostKept.series} series of a job or runner` });
}

async function requireRunner(db: Db, org: OrgId, runnerId: string): Promise<void> {
  if ((await findRunner(db, org, runnerId)) === undefined) throw problem.notFound("runner");
}

function refusedOf({
  malformed,
  dropped,
  most,
}: {
  readonly malformed: number;
  readonly dropped: number;
  readonly most: string;
}): Refused {
  const reasons = [
    ...(malformed > 0 ? [`${malformed} without an id or an instant`] : []),
    ...(dropped > 0 ? [`${dropped} past the ${most} that are kept`] : []),
  ];
  return { count: malformed + dropped, reason: reasons.join("; ") };
}

import type { Db } from "../../database/connect.ts";
import { findResult } from "../../executions/queries.ts";
import { openResult } from "../../executions/sealed-result.ts";
import { findJob, findPlanToSend } from "../../jobs/queries.ts";
import { findShownPlan } from "../../jobs/shown-plans.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import { type OpeningParts, openLarge } from "../../seals/open-large.ts";
import { type SentPart, sizeOf } from "../../work-pool/frames.ts";
import type { WorkKinds } from "../../work-pool/work-kinds.ts";
import type { WorkPool } from "../../work-pool/work-pool.ts";

/** What is needed to read what a planning job brought. */
export type PlannedParts = OpeningParts & {
  readonly db: Db;
  readonly work: Pick<WorkPool<WorkKinds>, "run">;
};

/** What a planning job had and brought: long texts are read only while they are sent to who reads them. */
export type JobTexts = {
  /** JSON. */
  readonly result: SentPart;
  readonly plan: SentPart;
  readonly twin: Buffer | undefined;
  readonly sizeBytes: number;
};

/** Reads them of the job's last execution. Refuses what this broker's keys do not open. */
export async function readJobTexts(
  parts: PlannedParts,
  org: OrgId,
  jobId: string,
): Promise<JobTexts> {
  const job = await findJob(parts.db, org, jobId);
  if (job === undefined) throw new Error(`${jobId} is gone, whose plan is to be read`);
  const [result, plan, twin] = await Promise.all([
    job.execution_id === null ? empty : readResult(parts, org, job.execution_id),
    readPlan(parts, org, jobId),
    findShownPlan(parts, org, jobId),
  ]);
  const shown = twin === undefined ? undefined : Buffer.from(twin);
  const sizeBytes = sizeOf(result) + sizeOf(plan) + (shown?.length ?? 0);
  return { result, plan, twin: shown, sizeBytes };
}

const empty = Buffer.from("{}");

async function readResult(parts: PlannedParts, org: OrgId, id: string): Promise<SentPart> {
  const row = await findResult(parts.db, org, id);
  if (row === undefined) return empty;
  const { large, sealed_contents: bytes, key_id: keyId } = row;
  if (large !== undefined) return await openLarge(parts, large);
  if (bytes != null && keyId != null) {
    return Buffer.from(
      JSON.stringify(openResult(parts.seals, { orgId: org, id }, { keyId, bytes })),
    );
  }
  const { contents, contents_display, contents_gzip, contents_display_gzip } = row;
  return Buffer.from(
    JSON.stringify({
      contents: contents ?? undefined,
      contents_display: contents_display ?? undefined,
      contents_gzip: contents_gzip?.toString("base64"),
      contents_display_gzip: contents_display_gzip?.toString("base64"),
    }),
  );
}

async function readPlan(parts: PlannedParts, org: OrgId, jobId: string): Promise<SentPart> {
  const plan = await findPlanToSend(parts, org, jobId);
  if (plan === undefined) throw new Error(`the plan of ${jobId} is gone`);
  return typeof plan === "string" ? Buffer.from(plan) : await openLarge(parts, plan);
}

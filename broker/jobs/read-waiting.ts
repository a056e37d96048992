import type { Waiting } from "../../shared/api/why-waiting.ts";
import type { RunnerJobStatus } from "../../shared/runner-job.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { requireJob } from "./read-job.ts";
import { findWaitingFacts } from "./waiting-facts.ts";
import { explain } from "./why-waiting.ts";

type ReadWaiting = Waiting & { readonly runner_job_id: string; readonly status: RunnerJobStatus };

/** Where a job stands and why it waits, in one statement while it does; without reasons when it does not; 404 when there is none. */
export async function readWaiting(db: Db, org: OrgId, jobId: string): Promise<ReadWaiting> {
  const facts = await findWaitingFacts(db, org, jobId);
  if (facts !== undefined) return { runner_job_id: jobId, status: facts.status, ...explain(facts) };
  const { id, status } = await requireJob(db, org, jobId);
  return { runner_job_id: id, status, reasons: [], position: null };
}

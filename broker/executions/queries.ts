import type postgres from "postgres";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Seals } from "../seals/seals.ts";
import type { EvidenceRow, ExecutionRow, OutputsRow, ResultRow } from "./row.ts";
import { openOutputs } from "./sealed-outputs.ts";

/** The execution; undefined when this org has none of that id. */
export async function findExecution(
  db: Db,
  org: OrgId,
  id: string,
): Promise<ExecutionRow | undefined> {
  const [row] = await db<ExecutionRow[]>`
    select ${columns(db)} from runner_job_executions e where e.org_id = ${org} and e.id = ${id}`;
  return row;
}

/** The attempts at a job, first to last. */
export async function listExecutions(db: Db, org: OrgId, jobId: string): Promise<ExecutionRow[]> {
  return db<ExecutionRow[]>`
    select ${columns(db)} from runner_job_executions e
     where e.runner_job_id = ${jobId} and e.org_id = ${org}
     order by e.created_at, e.id`;
}

/** The digest of an execution's token is read by nobody but the authenticator. */
function columns(db: Db): postgres.Fragment {
  return db`
    e.id, e.org_id, e.runner_job_id, e.runner_id, e.process_id, e.holders, e.is_ours, e.status,
    e.status_description, e.ended_by, e.history, e.created_at, e.deadline_at, e.confirmed_at, e.finished_at,
    e.last_record,
    e.finished_at is not null and (svc_now() >= awaits_log_until(e)
      or coalesce(has_log_record(e.org_id, log_stream_of(e.runner_job_id), e.id, e.last_record), false))
      as logs_complete`;
}

/** The results of these executions without their contents. */
export async function listResults(
  db: Db,
  org: OrgId,
  executionIds: readonly string[],
): Promise<ResultRow[]> {
  return db<ResultRow[]>`
    select r.execution_id, r.org_id, r.id, r.success, r.error_code, r.error_metadata, r.composite_error, r.created_at
      from runner_job_execution_results r
     where r.execution_id = any(${executionIds}) and r.org_id = ${org}`;
}

/** An execution's result with its contents, up to 64 MiB. */
export async function findResult(
  db: Db,
  org: OrgId,
  executionId: string,
): Promise<ResultRow | undefined> {
  const [row] = await db<ResultRow[]>`
    select r.* from runner_job_execution_results r
     where r.execution_id = ${executionId} and r.org_id = ${org}`;
  return row;
}

/** An execution's outputs, opened. Refuses what this broker's keys do not open. */
export async function findOutputs(
  { db, seals }: { readonly db: Db; readonly seals: Seals },
  org: OrgId,
  executionId: string,
): Promise<OutputsRow | undefined> {
  const [row] = await db<(OutputsRow & { key_id: string | null; bytes: Buffer })[]>`
    select o.execution_id, o.org_id, o.id, o.key_id, o.created_at,
           coalesce(o.sealed_outputs, convert_to(o.outputs::text, 'UTF8')) as bytes
      from runner_job_execution_outputs o
     where o.execution_id = ${executionId} and o.org_id = ${org}`;
  if (row === undefined) return undefined;
  const { key_id: keyId, bytes, ...shown } = row;
  return {
    ...shown,
    outputs: openOutputs(seals, { orgId: org, id: executionId }, { keyId, bytes }),
  };
}

/** What came too late for an execution, in the order in which it came. */
export async function listEvidence(
  db: Db,
  org: OrgId,
  executionId: string,
): Promise<EvidenceRow[]> {
  return db<EvidenceRow[]>`
    select v.* from runner_job_execution_evidence v
     where v.execution_id = ${executionId} and v.org_id = ${org} order by v.id`;
}

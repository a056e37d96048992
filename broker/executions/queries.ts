import type postgres from "postgres";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { type LargeSealed, mostAtOnceBytes } from "../seals/open-large.ts";
import type { Seals } from "../seals/seals.ts";
import type {
  EvidenceRow,
  ExecutionRow,
  OutputsRow,
  ProgressRow,
  ResultRow,
  StepRow,
} from "./row.ts";
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

/** Only the authenticator reads the digest of an execution's token. */
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

/** An execution's result with its contents; long contents, up to 64 MiB, as a sealed value to open. */
export async function findResult(
  db: Db,
  org: OrgId,
  executionId: string,
): Promise<(ResultRow & { readonly large?: LargeSealed }) | undefined> {
  const [row] = await db<(ResultRow & { stored_bytes: number | null })[]>`
    select r.execution_id, r.org_id, r.id, r.success, r.error_code, r.error_metadata, r.composite_error, r.created_at,
           r.contents, r.contents_display, r.contents_gzip, r.contents_display_gzip, r.key_id,
           case when length(r.sealed_contents) <= ${mostAtOnceBytes} then r.sealed_contents end as sealed_contents,
           length(r.sealed_contents) as stored_bytes
      from runner_job_execution_results r
     where r.execution_id = ${executionId} and r.org_id = ${org}`;
  if (row === undefined) return undefined;
  const { stored_bytes: storedBytes, ...result } = row;
  if (storedBytes === null || storedBytes <= mostAtOnceBytes) return result;
  const stored = {
    part: "result",
    id: executionId,
    keyId: row.key_id ?? null,
    storedBytes,
  } as const;
  return { ...result, large: largeReport(db, org, stored) };
}

/** An execution's outputs, opened unless they are long. Refuses what this broker's keys do not open. */
export async function findOutputs(
  parts: { readonly db: Db; readonly seals: Seals },
  org: OrgId,
  executionId: string,
): Promise<OutputsRow | undefined> {
  const [row] = await listOutputs(parts, org, [executionId]);
  return row;
}

/** The same of several executions, as far as these have outputs. */
export async function listOutputs(
  { db, seals }: { readonly db: Db; readonly seals: Seals },
  org: OrgId,
  executionIds: readonly string[],
): Promise<OutputsRow[]> {
  const rows = await db<StoredOutputs[]>`
    select o.execution_id, o.org_id, o.id, o.key_id, o.created_at, length(o.sealed_outputs) as stored_bytes,
           case when length(o.sealed_outputs) > ${mostAtOnceBytes} then null
                else coalesce(o.sealed_outputs, convert_to(o.outputs::text, 'UTF8')) end as bytes
      from runner_job_execution_outputs o
     where o.execution_id = any(${[...executionIds]}) and o.org_id = ${org}`;
  return rows.map(({ key_id: keyId, stored_bytes: storedBytes, bytes, ...shown }) => {
    const id = shown.execution_id;
    if (bytes !== null)
      return { ...shown, outputs: openOutputs(seals, { orgId: org, id }, { keyId, bytes }) };
    const stored = { part: "outputs", id, keyId, storedBytes: storedBytes ?? 0 } as const;
    return { ...shown, outputs: largeReport(db, org, stored) };
  });
}

type StoredOutputs = Omit<OutputsRow, "outputs"> & {
  readonly key_id: string | null;
  readonly stored_bytes: number | null;
  /** Null where they are long. */
  readonly bytes: Buffer | null;
};

const reportPlaces = {
  outputs: { table: "runner_job_execution_outputs", column: "sealed_outputs" },
  result: { table: "runner_job_execution_results", column: "sealed_contents" },
} as const;

/** Where the sealed bytes of long outputs or contents are. */
function largeReport(
  db: Db,
  org: OrgId,
  {
    part,
    id,
    ...sealed
  }: {
    readonly part: keyof typeof reportPlaces;
    readonly id: string;
  } & Pick<LargeSealed, "keyId" | "storedBytes">,
): LargeSealed {
  const { table, column } = reportPlaces[part];
  return {
    thing: { orgId: org, id, part },
    ...sealed,
    read: async (from, length) => {
      const [row] = await db<{ bytes: Buffer }[]>`
        select substring(r.${db(column)} from ${from + 1}::int for ${length}::int) as bytes
          from ${db(table)} r where r.execution_id = ${id} and r.org_id = ${org}`;
      if (row === undefined) throw new Error(`the ${part} of ${id} is gone`);
      return row.bytes;
    },
  };
}

/** The progress of an execution and its steps in order; undefined when none was reported. */
export async function findProgress(
  db: Db,
  org: OrgId,
  executionId: string,
): Promise<{ readonly progress: ProgressRow; readonly steps: StepRow[] } | undefined> {
  const [progress] = await db<ProgressRow[]>`
    select p.* from runner_job_execution_progress p
     where p.execution_id = ${executionId} and p.org_id = ${org}`;
  if (progress === undefined) return undefined;
  const steps = await db<StepRow[]>`
    select s.* from runner_job_execution_steps s
     where s.execution_id = ${executionId} and s.org_id = ${org} order by s.n`;
  return { progress, steps };
}

/** An execution's late evidence, in the order of arrival. */
export async function listEvidence(
  db: Db,
  org: OrgId,
  executionId: string,
): Promise<EvidenceRow[]> {
  const rows = await db<(EvidenceRow & { stored_bytes: number | null })[]>`
    select v.id, v.execution_id, v.org_id, v.kind, v.body, v.key_id, v.reason, v.created_at,
           length(v.sealed) as stored_bytes
      from runner_job_execution_evidence v
     where v.execution_id = ${executionId} and v.org_id = ${org} order by v.id`;
  return rows.map(({ stored_bytes: storedBytes, ...row }) =>
    storedBytes === null ? row : { ...row, large: largeEvidence(db, org, { ...row, storedBytes }) },
  );
}

/** Where its sealed bytes are. */
function largeEvidence(
  db: Db,
  org: OrgId,
  { id, execution_id, kind, key_id: keyId, storedBytes }: EvidenceRow & { storedBytes: number },
): LargeSealed {
  return {
    thing: { orgId: org, id: execution_id, part: kind },
    keyId,
    storedBytes,
    read: async (from, length) => {
      const [row] = await db<{ bytes: Buffer }[]>`
        select substring(v.sealed from ${from + 1}::int for ${length}::int) as bytes
          from runner_job_execution_evidence v where v.id = ${id} and v.org_id = ${org}`;
      if (row === undefined) throw new Error(`evidence of ${execution_id} is gone`);
      return row.bytes;
    },
  };
}

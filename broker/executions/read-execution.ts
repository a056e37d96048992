import type {
  LateEvidence,
  RunnerJobExecution,
  RunnerJobExecutionResult,
} from "../../shared/api/runner-job-execution.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { JsonPlaceholders } from "../seals/json-placeholders.ts";
import { type OpeningParts, openLarge } from "../seals/open-large.ts";
import type { Actor } from "../tokens/actor.ts";
import {
  findExecution,
  findOutputs,
  findProgress,
  findResult,
  listEvidence,
  listResults,
} from "./queries.ts";
import type { NamedExecution } from "./record-report.ts";
import type { EvidenceRow, ExecutionRow } from "./row.ts";
import { openEvidence, verdictOf } from "./sealed-evidence.ts";
import { openResult } from "./sealed-result.ts";
import { toEvidence, toExecution, toOutputs, toProgress, toResult } from "./to-execution.ts";

type Parts = OpeningParts & {
  readonly db: Db;
  /** For values that are read while they are sent. */
  readonly placeholders: JsonPlaceholders;
};

/** An execution with its result, its outputs and, except for runners, late evidence. */
export async function readExecution(
  parts: Parts,
  actor: Actor,
  named: NamedExecution,
): Promise<RunnerJobExecution> {
  const { db, seals } = parts;
  const { orgId } = actor;
  const row = await requireExecution(db, actor, named);
  const isRunner = actor.runnerId !== null;
  const [[result], outputs, progress, evidence] = await Promise.all([
    listResults(db, orgId, [row.id]),
    findOutputs({ db, seals }, orgId, row.id),
    findProgress(db, orgId, row.id),
    isRunner ? [] : listEvidence(db, orgId, row.id),
  ]);
  return {
    ...toExecution(row),
    progress: progress === undefined ? null : toProgress(progress),
    result: result === undefined ? null : toResult(result),
    outputs: outputs === undefined ? null : await toOutputs(outputs, parts),
    ...(!isRunner && {
      evidence: await Promise.all(evidence.map((one) => showEvidence(parts, actor, one))),
    }),
  };
}

/** Late evidence, with its contents for callers that may see them; large contents are read while they are sent. */
async function showEvidence(parts: Parts, actor: Actor, row: EvidenceRow): Promise<LateEvidence> {
  const { large } = row;
  if (large === undefined) {
    const body = openEvidence(parts.seals, row);
    return toEvidence({ ...row, body: seesContents(actor) ? body : withoutContents(body) });
  }
  if (row.kind === "outputs") {
    return toEvidence({ ...row, body: parts.placeholders.json(await openLarge(parts, large)) });
  }
  const verdict = verdictOf(row.body);
  if (!seesContents(actor)) return toEvidence({ ...row, body: verdict });
  const contents = parts.placeholders.members(await openLarge(parts, large));
  return toEvidence({ ...row, body: { ...verdict, ...contents } });
}

/**
 * When an execution ended, null while it has not, and while it may still run although the broker ended it; 404 for one of
 * another runner.
 */
export async function readExecutionEnd(
  db: Db,
  actor: Actor,
  named: NamedExecution,
): Promise<Pick<RunnerJobExecution, "finished_at">> {
  const { id, finished_at } = toExecution(await requireExecution(db, actor, named));
  const stopping = await db`select from stopping_executions where execution_id = ${id}`;
  return { finished_at: stopping.length > 0 ? null : finished_at };
}

/** An execution's result, with its contents for callers that may see plans' secrets; 404 when there is none. */
export async function readResult(
  parts: Parts,
  actor: Actor,
  named: NamedExecution,
): Promise<RunnerJobExecutionResult> {
  const { db, seals, placeholders } = parts;
  const row = await requireExecution(db, actor, named);
  if (!seesContents(actor)) {
    const [verdict] = await listResults(db, actor.orgId, [row.id]);
    if (verdict === undefined) throw problem.notFound("result");
    return toResult(verdict);
  }
  const result = await findResult(db, actor.orgId, row.id);
  if (result === undefined) throw problem.notFound("result");
  const { sealed_contents: bytes, key_id: keyId, large } = result;
  if (large !== undefined) {
    return { ...toResult(result), ...placeholders.members(await openLarge(parts, large)) };
  }
  if (bytes == null || keyId == null) return toResult(result);
  const of = { orgId: row.org_id, id: row.id };
  return { ...toResult(result), ...openResult(seals, of, { keyId, bytes }) };
}

/** A result's contents go into the next plan: Terraform's plan file, Helm's rendered manifests. */
const seesContents = ({ permissions }: Actor): boolean => permissions.has("plans.secrets");

function withoutContents(body: unknown): unknown {
  if (typeof body !== "object" || body === null) return body;
  const open = Object.entries(body).filter(([name]) => !name.startsWith("contents"));
  return Object.fromEntries(open);
}

/** The execution of that job, within the caller's reach; 404 otherwise. */
async function requireExecution(
  db: Db,
  { orgId, runnerId }: Actor,
  { job_id: jobId, execution_id: id }: NamedExecution,
): Promise<ExecutionRow> {
  const row = await findExecution(db, orgId, id);
  if (row === undefined || row.runner_job_id !== jobId) throw problem.notFound("execution");
  if (runnerId !== null && row.runner_id !== runnerId) throw problem.notFound("execution");
  return row;
}

import type {
  RunnerJobExecution,
  RunnerJobExecutionResult,
} from "../../shared/api/runner-job-execution.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { Actor } from "../tokens/actor.ts";
import { findExecution, findOutputs, findResult, listEvidence, listResults } from "./queries.ts";
import type { ExecutionRow } from "./row.ts";
import type { NamedExecution } from "./take-report.ts";
import { toEvidence, toExecution, toOutputs, toResult } from "./to-execution.ts";

/** An execution with its result, its outputs and, for who is no runner, what was reported too late. */
export async function readExecution(
  db: Db,
  actor: Actor,
  named: NamedExecution,
): Promise<RunnerJobExecution> {
  const { orgId } = actor;
  const row = await requireExecution(db, actor, named);
  const isRunner = actor.runnerId !== null;
  const [[result], outputs, evidence] = await Promise.all([
    listResults(db, orgId, [row.id]),
    findOutputs(db, orgId, row.id),
    isRunner ? [] : listEvidence(db, orgId, row.id),
  ]);
  return {
    ...toExecution(row),
    result: result === undefined ? null : toResult(result),
    outputs: outputs === undefined ? null : toOutputs(outputs),
    ...(!isRunner && { evidence: evidence.map(toEvidence) }),
  };
}

/** An execution's result with its contents; 404 when there is none. */
export async function readResult(
  db: Db,
  actor: Actor,
  named: NamedExecution,
): Promise<RunnerJobExecutionResult> {
  const row = await requireExecution(db, actor, named);
  const result = await findResult(db, actor.orgId, row.id);
  if (result === undefined) throw problem.notFound("result");
  return toResult(result);
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
